import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { schemaIn } from "../show/data-words.ts";
import { Alert, FileButton } from "./parts/controls.tsx";
import { DataStep } from "./parts/data-step.tsx";
import { FeaturesStep } from "./parts/features-step.tsx";
import { Jobs } from "./parts/jobs.tsx";
import { MethodStep, ModelStep } from "./parts/method-steps.tsx";
import { PersonStep } from "./parts/person-step.tsx";
import { RunBar } from "./parts/run-bar.tsx";
import { JobView } from "./result/job-view.tsx";
import { Empty, ResultView } from "./result/result-view.tsx";
import { useMedia } from "./result/use-media.ts";
import { edited, generatorTitles, modelTitles } from "./settings.ts";
import type { Where } from "./state/state.ts";
import { type Studio, useStudio } from "./studio.ts";
import type { StudioWords } from "./words/contract.ts";
import { languages } from "./words/said.ts";
import { SaidContext, useLanguage, useSaid } from "./words/use-said.ts";

const TITLES: Readonly<Record<Where, keyof StudioWords>> = {
  data: "troubleData",
  model: "troubleModel",
  generator: "troubleGiven",
  result: "troubleResult",
  run: "troubleRun",
  cancelled: "cancelled",
};

export function App() {
  const studio = useStudio();
  const said = useLanguage(studio.state.language);
  return (
    <SaidContext value={said}>
      <Page studio={studio} />
    </SaidContext>
  );
}

function Page({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { state, actions } = studio;
  const { result, trouble, busy, asked } = state;
  const main = useRef<HTMLElement>(null);
  const narrow = useMedia("(max-width: 60rem)");
  // The button that was pressed is gone while the run goes on, and the focus with it.
  useEffect(() => {
    if (!result || !asked) return;
    studio.send({ type: "seen" });
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [result, asked, studio.send]);
  // On a phone the result is below the set-up: go there when a new one arrives.
  const shown = result ? state.view.of : 0;
  useEffect(() => {
    if (shown && narrow) main.current?.scrollIntoView();
  }, [shown, narrow]);
  return (
    <>
      <a className="skip" href="#result">
        {say("skip")}
      </a>
      <header className="top">
        <div>
          <h1>{say("studio")}</h1>
          <p>
            {say("lead")} {state.server.info ? "" : say("leadHere")}
          </p>
        </div>
        <div className="row">
          <Languages studio={studio} />
          <FileButton accept=".json,.jsonl,.html,.txt" onFile={(file) => void actions.openSaved(file)}>
            {say("openSaved")}
          </FileButton>
        </div>
      </header>
      {trouble ? (
        <section className="messages" aria-label={say("message")}>
          <Alert
            title={say(TITLES[trouble.where])}
            message={tell(trouble.message)}
            onClose={actions.dismiss}
          />
        </section>
      ) : null}
      <div className="layout">
        <ToldSetup studio={studio} />
        <main id="result" tabIndex={-1} ref={main}>
          <Main studio={studio} />
        </main>
      </div>
      <p className="unseen" role="status">
        {busy ? tell(busy.message) : ""}
      </p>
    </>
  );
}

function Languages({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  return (
    <select
      className="language"
      aria-label={say("language")}
      value={studio.state.language}
      onChange={(e) => studio.actions.speak(e.target.value)}
    >
      {Object.entries(languages).map(([tag, { title }]) => (
        <option key={tag} value={tag} lang={tag}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** What the address names: a job of the server, or the run of the page. */
function Main({ studio }: { readonly studio: Studio }) {
  const { result, server } = studio.state;
  if (server.info && server.current !== null && result?.job !== server.current)
    return <JobView studio={studio} id={server.current} />;
  if (!result) return <Empty studio={studio} />;
  return <ResultView studio={studio} result={result} />;
}

/** The set-up with labels and levels of the example in the language of the page. */
function ToldSetup({ studio }: { readonly studio: Studio }) {
  const said = useSaid();
  const { data } = studio.state;
  const [spoken, told] = useMemo(() => {
    if (!data) return [said, data];
    const { schema, locale } = schemaIn(data.schema, said.locale);
    return locale === said.locale
      ? [said, data]
      : [
          { ...said, locale },
          { ...data, schema },
        ];
  }, [data, said]);
  return (
    <SaidContext value={spoken}>
      <Setup studio={told === data ? studio : { ...studio, state: { ...studio.state, data: told } }} />
    </SaidContext>
  );
}

function Setup({ studio }: { readonly studio: Studio }) {
  const { say, title, count } = useSaid();
  const { data, choices, edits, loadedModel, given, step: open, server } = studio.state;
  const features = data?.schema.features ?? [];
  const locked = features.filter((f) => edited(f, edits).immutable).length;
  const step = (id: string, name: string, summary: string, content: ReactNode) => (
    <section className="step" key={id}>
      <h2>
        <button
          type="button"
          aria-expanded={open === id}
          aria-controls={`step-${id}`}
          onClick={() => studio.send({ type: "step", step: open === id ? "" : id })}
        >
          <span>{name}</span>
          <small>{summary}</small>
        </button>
      </h2>
      <div id={`step-${id}`} className="step-body" hidden={open !== id}>
        {content}
      </div>
    </section>
  );
  const locks = say("featuresLocked", { features: count(features.length), locked: count(locked) });
  const model =
    choices.model === "file" ? (loadedModel?.title ?? say("noneYet")) : modelTitles[choices.model]!;
  const source = choices.generator === "given" ? (given?.name ?? "") : generatorTitles[choices.generator]!;
  return (
    <aside className="setup" aria-label={say("setUp")}>
      {step("data", say("data"), data ? title(data.source) : say("reading"), <DataStep studio={studio} />)}
      {step("features", say("features"), data ? locks : "", <FeaturesStep studio={studio} />)}
      {step("model", say("model"), title(model), <ModelStep studio={studio} />)}
      {step("method", say("methodStep"), title(source), <MethodStep studio={studio} />)}
      {step("one", say("oneStep"), "", <PersonStep studio={studio} />)}
      <RunBar studio={studio} />
      {server.info ? <Jobs studio={studio} /> : null}
    </aside>
  );
}

import { type ReactNode, useEffect, useRef, useState } from "react";
import { Alert, FileButton } from "./parts/controls.tsx";
import { DataStep } from "./parts/data-step.tsx";
import { FeaturesStep } from "./parts/features-step.tsx";
import { Jobs } from "./parts/jobs.tsx";
import { MethodStep, ModelStep } from "./parts/method-steps.tsx";
import { RunBar } from "./parts/run-bar.tsx";
import { JobView } from "./result/job-view.tsx";
import { Empty, ResultView } from "./result/result-view.tsx";
import { useMedia } from "./result/use-media.ts";
import { edited, generatorTitles, modelTitles } from "./settings.ts";
import { type Studio, useStudio } from "./studio.ts";

const TITLES: Readonly<Record<string, string>> = {
  data: "The data could not be read",
  model: "The model could not be read",
  generator: "The counterfactuals could not be read",
  result: "The run could not be opened",
  run: "The run stopped",
  cancelled: "Cancelled",
};

export function App() {
  const studio = useStudio();
  const { result, trouble, actions, busy, asked } = studio;
  const main = useRef<HTMLElement>(null);
  const narrow = useMedia("(max-width: 60rem)");
  // The button that was pressed is gone while the run goes on, and the focus with it.
  useEffect(() => {
    if (!result || !asked.current) return;
    asked.current = false;
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [result, asked]);
  // On a phone the result is below the set-up: go there when a new one arrives.
  useEffect(() => {
    if (result && narrow) main.current?.scrollIntoView();
  }, [result, narrow]);
  return (
    <>
      <a className="skip" href="#result">
        Skip to the result
      </a>
      <header className="top">
        <div>
          <h1>COLA studio</h1>
          <p>
            The few edits that change a decision.
            {studio.remote.server ? "" : " Everything is computed on this machine."}
          </p>
        </div>
        <FileButton accept=".json" onFile={actions.restore}>
          Open a saved run
        </FileButton>
      </header>
      {trouble ? (
        <section className="messages" aria-label="Message">
          <Alert
            title={TITLES[trouble.where] ?? "Something went wrong"}
            message={
              trouble.where === "cancelled"
                ? "Nothing was changed. Run again whenever you like."
                : trouble.message
            }
            onClose={actions.dismiss}
          />
        </section>
      ) : null}
      <div className="layout">
        <Setup studio={studio} />
        <main id="result" tabIndex={-1} ref={main}>
          <Main studio={studio} />
        </main>
      </div>
      <p className="unseen" role="status">
        {busy}
      </p>
    </>
  );
}

/** What the address names: a job of the server, or the run of the page. */
function Main({ studio }: { readonly studio: Studio }) {
  const { result, remote } = studio;
  if (remote.server && remote.current !== null && result?.job !== remote.current)
    return <JobView remote={remote} id={remote.current} />;
  if (!result) return <Empty studio={studio} />;
  return <ResultView key={`${result.job ?? ""} ${result.explanation.runHash}`} result={result} />;
}

function Setup({ studio }: { readonly studio: Studio }) {
  const { data, choices, edits, loadedModel, given } = studio;
  const locked = data?.schema.features.filter((f) => edited(f, edits).immutable).length ?? 0;
  const [open, setOpen] = useState("data");
  const step = (id: string, title: string, told: string, content: ReactNode) => (
    <section className="step" key={id}>
      <h2>
        <button
          type="button"
          aria-expanded={open === id}
          aria-controls={`step-${id}`}
          onClick={() => setOpen(open === id ? "" : id)}
        >
          <span>{title}</span>
          <small>{told}</small>
        </button>
      </h2>
      <div id={`step-${id}`} className="step-body" hidden={open !== id}>
        {content}
      </div>
    </section>
  );
  return (
    <aside className="setup" aria-label="Set up a run">
      {step("data", "Data", data?.source ?? "reading …", <DataStep studio={studio} />)}
      {step(
        "features",
        "Features",
        data ? `${data.schema.features.length}, ${locked} locked` : "",
        <FeaturesStep studio={studio} />,
      )}
      {step(
        "model",
        "Model",
        choices.model === "file" ? (loadedModel?.title ?? "none yet") : modelTitles[choices.model]!,
        <ModelStep studio={studio} />,
      )}
      {step(
        "method",
        "Counterfactuals and goal",
        choices.generator === "given" ? (given?.name ?? "") : generatorTitles[choices.generator]!,
        <MethodStep studio={studio} />,
      )}
      <RunBar studio={studio} />
      {studio.remote.server ? <Jobs remote={studio.remote} /> : null}
    </aside>
  );
}

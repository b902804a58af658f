import { lazy, Suspense, useMemo } from "react";
import { toldIn } from "../../show/data-words.ts";
import { provenRows, savedBy } from "../../show/saved.ts";
import { formatFixed, goalSentence, percent } from "../../show/sentences.ts";
import { Fold, Tabs } from "../parts/controls.tsx";
import { isEmbedded } from "../settings.ts";
import { cohortOf } from "../state/cohort.ts";
import { isStale, whyNot } from "../state/ready.ts";
import type { Studio } from "../studio.ts";
import { SaidContext, useSaid } from "../words/use-said.ts";
import { CohortBar } from "./cohort-bar.tsx";
import type { CohortProps, PartProps } from "./part.ts";
import { People } from "./people.tsx";
import { Tile } from "./tile.tsx";

/** The first part is there at once, the others come when they are looked at. */
const BudgetView = lazy(async () => ({ default: (await import("./budget.tsx")).BudgetView }));
const GroupView = lazy(async () => ({ default: (await import("./group.tsx")).GroupView }));
const CompareView = lazy(async () => ({ default: (await import("./compare.tsx")).CompareView }));
const FilesView = lazy(async () => ({ default: (await import("./files.tsx")).FilesView }));

const Checks = lazy(async () => ({ default: (await import("./checks.tsx")).Checks }));
const LetterPanel = lazy(async () => ({ default: (await import("./letter.tsx")).LetterPanel }));

const PARTS = {
  people: People,
  budget: BudgetView,
  group: GroupView,
  compare: CompareView,
  files: FilesView,
} as const;

/** What there is to see before the first run. */
export function Empty({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { run, data, busy } = studio.state;
  const why = whyNot(studio.state);
  if (run || !data) {
    return (
      <div className="empty" aria-busy="true">
        <div className="bones" aria-hidden="true">
          <i />
          <i />
          <i />
          <i />
        </div>
        <p>{say(run ? "plansAppear" : "readingData")}</p>
      </div>
    );
  }
  return (
    <div className="empty">
      <h2>{say("emptyTitle")}</h2>
      <p>{say("emptyText")}</p>
      <button
        type="button"
        className="primary"
        disabled={busy !== null || why !== null}
        onClick={() => studio.actions.run()}
      >
        {isEmbedded(data) ? say("tryExample") : say("tryOn", { source: data.source })}
      </button>
      <p className="note">
        {why ? tell(why) : say(studio.place === "server" ? "runsOnServer" : "nothingSent")}
      </p>
    </div>
  );
}

/** The result in the words of the page: labels, units and levels of the example are translated, names and cells are not. */
export function ResultView({ studio, result }: PartProps) {
  const said = useSaid();
  const [spoken, told] = useMemo(() => {
    const { explanation, locale } = toldIn(result.explanation, said.locale);
    return locale === said.locale
      ? [said, result]
      : [
          { ...said, locale },
          { ...result, explanation },
        ];
  }, [result, said]);
  return (
    <SaidContext value={spoken}>
      <Parts studio={studio} result={told} />
    </SaidContext>
  );
}

function Parts({ studio, result }: PartProps) {
  const { say } = useSaid();
  const { tab, conditions } = studio.state.view;
  const { explanation } = result;
  const cohort = useMemo(() => cohortOf(explanation, conditions), [explanation, conditions]);
  const Part = PARTS[tab as keyof typeof PARTS];
  const tabs = (Object.keys(PARTS) as (keyof typeof PARTS)[]).map((id) => [id, say(`tab_${id}`)] as const);
  return (
    <>
      <Summary studio={studio} result={result} cohort={cohort} />
      <CohortBar studio={studio} explanation={explanation} cohort={cohort} />
      <Tabs
        label={say("parts")}
        tabs={tabs}
        current={tab}
        onChange={(id) => studio.send({ type: "tab", tab: id })}
      />
      <div role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} className="tab-panel">
        <Suspense fallback={<p className="note">{say("oneMoment")}</p>}>
          <Part studio={studio} result={result} cohort={cohort} />
        </Suspense>
      </div>
      {studio.state.view.letter ? (
        <Suspense fallback={null}>
          <LetterPanel studio={studio} letter={studio.state.view.letter} />
        </Suspense>
      ) : null}
    </>
  );
}

function Summary({ studio, result, cohort }: CohortProps) {
  const { say, title, locale } = useSaid();
  const { explanation, model, source } = result;
  return (
    <div className="summary">
      <p className="lead">{goalSentence(explanation.goal, explanation.output, locale)}</p>
      <p className="note">
        {title(source)}
        {model ? ` · ${title(model.title)}` : ""} · {say("runCode")}{" "}
        <code>{explanation.runHash.slice(0, 12)}</code>
      </p>
      {isStale(studio.state) ? (
        <p className="stale" role="status">
          {say("stale")}
        </p>
      ) : null}
      {studio.state.view.checked || studio.state.view.papers.length > 0 ? (
        <Suspense fallback={null}>
          <Checks studio={studio} />
        </Suspense>
      ) : null}
      <Tiles cohort={cohort} />
      <Technical studio={studio} result={result} />
    </div>
  );
}

function Tiles({ cohort: { explanation } }: Pick<CohortProps, "cohort">) {
  const { say, count, locale } = useSaid();
  const { totals, effect, goal } = explanation;
  const group = goal.kind === "group";
  const saved = savedBy(explanation);
  const each = (edits: number): string => formatFixed(edits / Math.max(1, saved.rows), 2, locale);
  const { any, among } = provenRows(explanation);
  const cheapest = explanation.rows.some((row) => row.proof?.least === "cost");
  const { words } = locale;
  const of = say("ofAll", { all: count(totals.rows) });
  const whole = totals.valid > 0 ? words.reached : words.missed;
  return (
    <dl className="tiles">
      <Tile
        name={say(group ? "effectReached" : "peopleAtGoal")}
        value={group ? percent(effect.share ?? 0) : count(totals.valid)}
        {...(group ? {} : { of })}
        note={(group && totals.rows > 0 ? `${words.groupGoal}: ${whole}, ` : "") + say("rescored")}
      />
      <Tile
        name={say("editsEach")}
        value={each(saved.edits)}
        note={say("insteadOf", { count: each(saved.proposed) })}
      />
      <Tile
        name={say("editsAll")}
        value={count(saved.edits)}
        note={say("instead", { count: count(saved.proposed) })}
      />
      {any === 0 ? null : (
        <Tile
          name={words.proven}
          value={count(any)}
          of={of}
          note={cheapest ? words.provenCheapest : words.provenNote}
        />
      )}
      {among === 0 ? null : (
        <Tile
          name={words.provenAmong}
          value={count(among)}
          of={of}
          note={cheapest ? words.provenAmongCheapest : words.provenAmongNote}
        />
      )}
    </dl>
  );
}

/** The same in the words of the method, for readers who know them. */
function Technical({ studio, result: { explanation } }: PartProps) {
  const { say, locale } = useSaid();
  const { method, effect, seed } = explanation;
  const facts = {
    coupling: method.coupling,
    value: method.value,
    policy: method.policy,
    divergence: effect.divergence,
    on: effect.on === "label" ? locale.words.labels : locale.words.scores,
    seed: String(seed),
  };
  return (
    <Fold studio={studio} id="technical" summary={say("technical")}>
      <p className="note">{say("technicalFacts", facts)}</p>
    </Fold>
  );
}

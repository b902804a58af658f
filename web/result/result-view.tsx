import { lazy, Suspense, useState } from "react";
import { enWords } from "../../show/locales/en-words.ts";
import type { ReasonCodes } from "../../show/reasons.ts";
import { provenRows, savedBy } from "../../show/saved.ts";
import { goalSentence, percent } from "../../show/sentences.ts";
import { Tabs } from "../parts/controls.tsx";
import type { Result, Studio } from "../studio.ts";
import { People } from "./people.tsx";
import { Tile } from "./tile.tsx";
import { counted } from "./words.ts";

/** The first part is there at once, the others come when they are looked at. */
const BudgetView = lazy(async () => ({ default: (await import("./budget.tsx")).BudgetView }));
const GroupView = lazy(async () => ({ default: (await import("./group.tsx")).GroupView }));
const CompareView = lazy(async () => ({ default: (await import("./compare.tsx")).CompareView }));
const FilesView = lazy(async () => ({ default: (await import("./files.tsx")).FilesView }));

const TABS = [
  ["people", "People"],
  ["budget", "Budget"],
  ["group", "Group"],
  ["compare", "Compare"],
  ["files", "Files"],
] as const;

/** What there is to see before the first run. */
export function Empty({ studio }: { readonly studio: Studio }) {
  const { running, data } = studio;
  if (running || !data) {
    return (
      <div className="empty" aria-busy="true">
        <div className="bones" aria-hidden="true">
          <i />
          <i />
          <i />
          <i />
        </div>
        <p>{running ? "The plans appear here." : "Reading the data …"}</p>
      </div>
    );
  }
  return (
    <div className="empty">
      <h2>Who was refused, and what would have changed it?</h2>
      <p>
        Choose rows and a model, or take the example as it is. For everybody the model turns down, the studio
        finds the fewest edits that bring them to the other side, checks them with the model again, and says
        what is proven.
      </p>
      <button
        type="button"
        className="primary"
        disabled={studio.busy !== "" || (studio.place === "server" && studio.remote.need !== "no")}
        onClick={() => studio.actions.run()}
      >
        Try it on {data.source.includes("embedded") ? "the example" : data.source}
      </button>
      <p className="note">
        {studio.place === "server" ? "It runs on this server." : "Nothing is sent anywhere."}
      </p>
    </div>
  );
}

export function ResultView({ result }: { readonly result: Result }) {
  const [tab, setTab] = useState<string>("people");
  const [codes, setCodes] = useState<ReasonCodes>({});
  const { explanation, model, source } = result;
  const { totals, effect, goal } = explanation;
  const saved = savedBy(explanation);
  const share = goal.kind === "group" ? effect.share : totals.valid / Math.max(1, totals.rows);
  const proven = provenRows(explanation);
  const cheapest = explanation.rows.some((row) => row.proof?.least === "cost");
  return (
    <>
      <div className="summary">
        <p className="lead">{goalSentence(goal, explanation.output)}</p>
        <p className="note">
          {source}
          {model ? ` · ${model.title}` : ""} · {explanation.method.coupling}, {explanation.method.policy} ·
          run <code>{explanation.runHash.slice(0, 12)}</code>
        </p>
        <dl className="tiles">
          <Tile
            name={goal.kind === "group" ? "Effect reached" : "People at the goal"}
            value={
              goal.kind === "group"
                ? percent(share ?? 0)
                : `${counted(totals.valid)} of ${counted(totals.rows)}`
            }
            note="when the model scores the plans again"
          />
          <Tile
            name="Edits each"
            value={(saved.edits / Math.max(1, saved.rows)).toFixed(2)}
            note={`instead of ${(saved.proposed / Math.max(1, saved.rows)).toFixed(2)} in the counterfactuals`}
          />
          <Tile
            name="Edits in all"
            value={counted(saved.edits)}
            note={`instead of ${counted(saved.proposed)}`}
          />
          {proven.any === 0 ? null : (
            <Tile
              name={enWords.proven}
              value={`${counted(proven.any)} of ${counted(totals.rows)}`}
              note={cheapest ? enWords.provenCheapest : enWords.provenNote}
            />
          )}
          {proven.among === 0 ? null : (
            <Tile
              name={enWords.provenAmong}
              value={`${counted(proven.among)} of ${counted(totals.rows)}`}
              note={cheapest ? enWords.provenAmongCheapest : enWords.provenAmongNote}
            />
          )}
        </dl>
      </div>
      <Tabs label="Parts of the result" tabs={TABS} current={tab} onChange={setTab} />
      <div role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} className="tab-panel">
        <Suspense fallback={<p className="note">One moment …</p>}>
          {tab === "people" ? <People result={result} codes={codes} /> : null}
          {tab === "budget" ? <BudgetView result={result} /> : null}
          {tab === "group" ? <GroupView explanation={explanation} /> : null}
          {tab === "compare" ? <CompareView result={result} /> : null}
          {tab === "files" ? <FilesView result={result} codes={codes} onCodes={setCodes} /> : null}
        </Suspense>
      </div>
    </>
  );
}

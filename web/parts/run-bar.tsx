import { labelOf } from "../../src/data/schema.ts";
import { edited, isEmptyRange } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Bar, stageWords } from "./progress.tsx";
import { Where } from "./where.tsx";

/** Run, or how far the run is and a way to stop it. */
export function RunBar({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { run } = studio.state;
  if (!run) return <Ready studio={studio} />;
  return (
    <div className="run" aria-busy="true">
      <div className="progress-line">
        <span role="status">{say(stageWords(run.progress))} …</span>
        <button type="button" onClick={() => studio.actions.cancel()}>
          {say("cancel")}
        </button>
      </div>
      <Bar label={say("progressOfRun")} progress={run.progress} />
    </div>
  );
}

function Ready({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { data, choices, loadedModel, busy, edits, server } = studio.state;
  const ready = data !== null && (choices.model !== "file" || loadedModel !== null);
  const empty = data?.schema.features.find((feature) => isEmptyRange(edited(feature, edits)));
  const locked = studio.place === "server" && server.need !== "no";
  return (
    <div className="run">
      <Where studio={studio} />
      <button
        type="button"
        className="primary"
        disabled={!ready || locked || busy !== null || empty !== undefined}
        onClick={() => studio.actions.run()}
      >
        {say("findEdits")}
      </button>
      {busy ? <p className="note">{tell(busy.message)}</p> : null}
      {empty && !busy ? <p className="wrong">{say("rangeEmpty", { name: labelOf(empty) })}</p> : null}
      {!ready && !busy ? <p className="note">{say("modelFirst")}</p> : null}
    </div>
  );
}

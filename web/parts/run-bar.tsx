import { labelOf } from "../../src/data/schema.ts";
import { edited, isEmptyRange } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { Bar, stageWords } from "./progress.tsx";
import { Where } from "./where.tsx";

/** Run, or how far the run is and a way to stop it. */
export function RunBar({ studio }: { readonly studio: Studio }) {
  const { running, actions, data, choices, loadedModel, busy } = studio;
  const ready = data !== null && (choices.model !== "file" || loadedModel !== null);
  const empty = data?.schema.features.find((feature) => isEmptyRange(edited(feature, studio.edits)));
  const locked = studio.place === "server" && studio.remote.need !== "no";
  if (!running) {
    return (
      <div className="run">
        <Where studio={studio} />
        <button
          type="button"
          className="primary"
          disabled={!ready || locked || busy !== "" || empty !== undefined}
          onClick={() => actions.run()}
        >
          Find the few edits
        </button>
        {busy ? <p className="note">{busy}</p> : null}
        {empty && !busy ? (
          <p className="wrong">The range of {labelOf(empty)} is empty: see Features.</p>
        ) : null}
        {!ready && !busy ? <p className="note">Load a model first.</p> : null}
      </div>
    );
  }
  return (
    <div className="run" aria-busy="true">
      <div className="progress-line">
        <span role="status">{stageWords(running.progress)} …</span>
        <button type="button" onClick={() => running.cancel()}>
          Cancel
        </button>
      </div>
      <Bar label="Progress of the run" progress={running.progress} />
    </div>
  );
}

import type { Studio } from "../studio.ts";

/** Stages as people call them. */
const STAGES: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/generate|knn|dice|nice|direct|ares|globe|discount|given/, "Making counterfactuals"],
  [/couple|transport|sinkhorn|match|plan/, "Pairing people with counterfactuals"],
  [/attribut|shap/, "Attributing the score"],
  [/refine|minimal|greedy/, "Choosing the edits"],
  [/score/, "Scoring rows"],
  [/explain/, "Explaining"],
];

function wordsFor(stage: string): string {
  return STAGES.find(([pattern]) => pattern.test(stage))?.[1] ?? "Training the model";
}

/** Run, or how far the run is and a way to stop it. */
export function RunBar({ studio }: { readonly studio: Studio }) {
  const { running, actions, data, choices, loadedModel, busy } = studio;
  const ready = data !== null && (choices.model !== "file" || loadedModel !== null);
  if (!running) {
    return (
      <div className="run">
        <button
          type="button"
          className="primary"
          disabled={!ready || busy !== ""}
          onClick={() => actions.run()}
        >
          Find the few edits
        </button>
        {busy ? <p className="note">{busy}</p> : null}
        {!ready && !busy ? <p className="note">Load a model first.</p> : null}
      </div>
    );
  }
  const { progress } = running;
  const words = progress ? wordsFor(progress.stage) : "Starting";
  const known = progress && progress.total > 0;
  return (
    <div className="run" aria-busy="true">
      <div className="progress-line">
        <span role="status">{words} …</span>
        <button type="button" onClick={() => running.cancel()}>
          Cancel
        </button>
      </div>
      <progress
        aria-label="Progress of the run"
        {...(known ? { value: progress.done, max: progress.total } : {})}
      />
    </div>
  );
}

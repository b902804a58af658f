import type { Progress } from "../../src/types.ts";

/** Stages as people call them. */
const STAGES: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/generate|knn|dice|nice|direct|ares|globe|discount|given/, "Making counterfactuals"],
  [/couple|transport|sinkhorn|match|plan/, "Pairing people with counterfactuals"],
  [/attribut|shap/, "Attributing the score"],
  [/refine|minimal|greedy/, "Choosing the edits"],
  [/score/, "Scoring rows"],
  [/explain/, "Explaining"],
];

export function stageWords(progress: Progress | null): string {
  if (!progress) return "Starting";
  return STAGES.find(([pattern]) => pattern.test(progress.stage))?.[1] ?? "Training the model";
}

export function Bar({ label, progress }: { readonly label: string; readonly progress: Progress | null }) {
  const known = progress && progress.total > 0;
  return <progress aria-label={label} {...(known ? { value: progress.done, max: progress.total } : {})} />;
}

import type { Progress } from "../../src/types.ts";
import type { StudioWords } from "../words/contract.ts";

/** Stages as people call them. */
const STAGES: readonly (readonly [pattern: RegExp, words: keyof StudioWords])[] = [
  [/generate|knn|dice|nice|direct|ares|globe|discount|given/, "stageGenerate"],
  [/couple|transport|sinkhorn|match|plan/, "stageCouple"],
  [/attribut|shap/, "stageAttribute"],
  [/refine|minimal|greedy/, "stageRefine"],
  [/score/, "stageScore"],
  [/explain/, "stageExplain"],
];

export function stageWords(progress: Progress | null): keyof StudioWords {
  if (!progress) return "stageStart";
  return STAGES.find(([pattern]) => pattern.test(progress.stage))?.[1] ?? "stageTrain";
}

export function Bar({ label, progress }: { readonly label: string; readonly progress: Progress | null }) {
  const known = progress && progress.total > 0;
  return <progress aria-label={label} {...(known ? { value: progress.done, max: progress.total } : {})} />;
}

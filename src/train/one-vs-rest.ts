import { outputIndex } from "../model/contract.ts";
import type { SmoothModel } from "../model/row-model.ts";
import { SAVED_VERSION, type Saved } from "../model/saved.ts";
import type { Matrix } from "../types.ts";
import type { ClassTask } from "./training.ts";

/** The task "class k or not". */
export function againstRest(task: ClassTask, k: number): ClassTask {
  return {
    ...task,
    classes: ["rest", task.classes[k]!],
    labels: task.labels.map((label) => (label === k ? 1 : 0)),
  };
}

/** score_k = s_k / Σ_j s_j, where s_k is the score of class k against the rest (1/K where all are 0). */
export function oneVsRest(
  type: string,
  outputs: readonly string[],
  parts: readonly SmoothModel[],
): SmoothModel {
  const scoresOf = (rows: Matrix): Float64Array[] => parts.map((part) => part.predict(rows, 1));
  const model: SmoothModel = {
    outputs,
    predict: (rows, output) => {
      const o = outputIndex(model, output);
      const scores = scoresOf(rows);
      return scores[o]!.map((s, i) => {
        const sum = sumAt(scores, i);
        return sum > 0 ? s / sum : 1 / parts.length;
      });
    },
    gradient: (rows, output) => {
      const o = outputIndex(model, output);
      const scores = scoresOf(rows);
      const slopes = parts.map((part) => part.gradient(rows, 1));
      const data = slopes[o]!.data.map((slope, c) => {
        const i = Math.floor(c / rows.cols);
        const sum = sumAt(scores, i);
        const all = slopes.reduce((total, s) => total + s.data[c]!, 0);
        return sum > 0 ? (slope - (scores[o]![i]! / sum) * all) / sum : 0;
      });
      return { data, rows: rows.rows, cols: rows.cols };
    },
    toJSON: () => ({ type, version: SAVED_VERSION, outputs, parts: parts.map((part) => part.toJSON()) }),
  };
  return model;
}

/** The parts of a saved `oneVsRest`: two outputs and the same columns each. */
export function loadParts(saved: Saved, count: number, load: (part: Saved) => SmoothModel): SmoothModel[] {
  const parts = saved.children("parts", count);
  const cols = parts[0]!.whole("cols", 1);
  return parts.map((part) => {
    part.check(part.texts("outputs", 2).length === 2, "must have two outputs");
    part.check(part.whole("cols", 1) === cols, `must read ${cols} columns like the other parts`);
    return load(part);
  });
}

function sumAt(scores: readonly Float64Array[], i: number): number {
  let sum = 0;
  for (const s of scores) sum += s[i]!;
  return sum;
}

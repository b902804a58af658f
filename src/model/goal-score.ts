import type { Matrix, Model, Reach } from "../types.ts";
import { asScores, isPromise } from "./contract.ts";
import { shownScores } from "./target.ts";

/** An output of a model, and what it is called. */
export interface GoalScore {
  readonly model: Model;
  readonly output: number;
  readonly name: string;
}

/**
 * The score a target is about, as an output: that of the class or range, or the margin between the classes wanted and
 * the others, for which the model is asked for all of them. `charge` is told of the rows scored beyond the first output.
 */
export function goalScore(model: Model, reach: Reach, charge: (rows: number) => void = () => {}): GoalScore {
  if (reach.contest === undefined)
    return { model, output: reach.primary, name: model.outputs[reach.primary]! };
  const predict = (rows: Matrix): Float64Array | Promise<Float64Array> => {
    charge((reach.outputs.length - 1) * rows.rows);
    const asked = reach.outputs.map((output) => model.predict(rows, output));
    return asked.some(isPromise)
      ? Promise.all(asked).then((scores) => shownScores(reach, scores.map(asScores)))
      : shownScores(reach, (asked as Float64Array[]).map(asScores));
  };
  return { model: { outputs: [reach.contest], predict }, output: 0, name: reach.contest };
}

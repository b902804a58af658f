import { type CalibrationTable, calibrate } from "../../../src/model/calibrate.ts";
import type { Model } from "../../../src/types.ts";

/** The probability of the last point below the score: stairs instead of straight lines. */
export function stairs(model: Model, table: CalibrationTable): Model {
  return {
    ...model,
    predict: (rows) =>
      (model.predict(rows) as Float64Array).map(
        (score) => (table.findLast(([edge]) => edge <= score) ?? table[0]!)[1],
      ),
  };
}

/** Goes on straight beyond the last two points. */
export function extrapolated(model: Model, table: CalibrationTable): Model {
  const [[left, low], [right, high]] = [table.at(-2)!, table.at(-1)!];
  const inside = calibrate(model, table);
  return {
    ...model,
    predict: (rows) => {
      const scores = model.predict(rows) as Float64Array;
      const within = inside.predict(rows) as Float64Array;
      return within.map((p, i) =>
        scores[i]! > right ? high + ((high - low) * (scores[i]! - right)) / (right - left) : p,
      );
    },
  };
}

import { ColaError } from "../errors.ts";
import type { Calibration, Model } from "../types.ts";
import { boundOf, scoreRange } from "./bound.ts";
import { asScores, isPromise } from "./contract.ts";

/** Points (score, probability) of a calibration, scores rising. */
export type CalibrationTable = Calibration["table"];

/**
 * g(f(z)): the model on the scale of a calibration table. g is monotone and piecewise linear between the points
 * of the table, constant beyond its ends. One output: its score; two: the second is g of its score, the first
 * the complement. Targets, margins and attributions then speak of probabilities; the model is a black box, but for searches that move
 * the target back through the table.
 */
export function calibrate(model: Model, table: CalibrationTable): Model {
  checkTable(table);
  const { outputs } = model;
  if (outputs.length > 2) {
    throw invalid(
      `a table from one score to a probability does not fit a model of ${outputs.length} outputs`,
      {
        outputs,
      },
    );
  }
  const inner = outputs.length - 1;
  const place = (scores: ArrayLike<number>, output: number): Float64Array =>
    asScores(scores).map((score) => (output === inner ? valueAt(table, score) : 1 - valueAt(table, score)));
  return {
    outputs,
    calibration: { model, table },
    ...(model.inputs ? { inputs: model.inputs } : {}),
    bound: (output) => {
      if (!boundOf(model, inner)) return undefined;
      return {
        link: "identity",
        range: (box) => placed(table, scoreRange(model, inner, box)!, output === inner),
      };
    },
    predict: (rows, output = inner) => {
      const scores = model.predict(rows, inner);
      return isPromise(scores) ? scores.then((answer) => place(answer, output)) : place(scores, output);
    },
  };
}

/** Room for the rounding of a value between two points of a table. */
const ROUNDING = 1e-12;

/** What g, or 1 − g, makes of a range of scores: it is monotone, and constant beyond the table. */
function placed(
  table: CalibrationTable,
  range: readonly [low: number, high: number],
  own: boolean,
): readonly [low: number, high: number] {
  const [first, last] = [table[0]![0], table.at(-1)![0]];
  const ends = range.map((score) => valueAt(table, Math.min(last, Math.max(first, score))));
  const values = own ? ends : ends.map((value) => 1 - value);
  return [Math.min(...values) - ROUNDING, Math.max(...values) + ROUNDING];
}

/** g(s); a score that is not a finite number has no place on the table. */
export function valueAt(table: CalibrationTable, score: number): number {
  if (!Number.isFinite(score)) return Number.NaN;
  const above = table.findIndex(([edge]) => score <= edge);
  if (above < 0) return table.at(-1)![1];
  const [right, high] = table[above]!;
  if (above === 0 || score === right) return high;
  const [left, low] = table[above - 1]!;
  return low + ((high - low) * (score - left)) / (right - left);
}

function checkTable(table: CalibrationTable): void {
  if (!Array.isArray(table) || table.length < 2)
    throw invalid("the table needs at least two pairs [score, probability]");
  const rows = table as readonly (readonly unknown[] | undefined)[];
  rows.forEach((pair, t) => {
    const [score, p] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    const fits = Number.isFinite(score) && Number.isFinite(p) && (p as number) >= 0 && (p as number) <= 1;
    if (!fits) {
      throw invalid(`pair ${t} is ${JSON.stringify(pair)}; give a finite score and a probability in [0, 1]`, {
        pair: t,
      });
    }
  });
  const sign = Math.sign(table.at(-1)![1] - table[0]![1]);
  for (let t = 1; t < table.length; t++) {
    const [[left, low], [right, high]] = [table[t - 1]!, table[t]!];
    if (right <= left)
      throw invalid(`the scores must rise, but pair ${t} has ${right} after ${left}`, { pair: t });
    if ((high - low) * sign < 0 || (sign === 0 && high !== low)) {
      throw invalid(
        `the probabilities must be monotone, but pair ${t} goes from ${low} to ${high} against the others; correct it`,
        { pair: t },
      );
    }
  }
}

function invalid(rule: string, details: Readonly<Record<string, unknown>> = {}): ColaError {
  return new ColaError("OPTION_INVALID", `calibration: ${rule}.`, details);
}

import { copyOf, rowOf, takeRows } from "../num/matrix.ts";
import { sd } from "../num/stats.ts";
import type { Matrix } from "../types.ts";
import type { Trial } from "./law.ts";
import { demand } from "./law.ts";

/** Rows whose derivatives are compared. */
const ROWS = 12;
/** Step in units of the column's spread. */
const STEP = 1e-5;

/**
 * ∂score/∂cell against central differences at two step sizes, for every output. A cell where the two disagree
 * sits on a kink, where there is no derivative, and is passed over.
 */
export async function compareGradient({ model, rows, ask }: Trial): Promise<string> {
  if (!model.gradient) return "not offered";
  const some = takeRows(
    rows,
    Int32Array.from({ length: Math.min(ROWS, rows.rows) }, (_, i) => i),
  );
  const steps = Float64Array.from({ length: rows.cols }, (_, k) => STEP * spread(rows, k));
  let compared = 0;
  for (let o = 0; o < model.outputs.length; o++) {
    const slopes = model.gradient(some, o);
    const fits = slopes.rows === some.rows && slopes.cols === rows.cols;
    demand(fits, () => `the gradient of ${some.rows} × ${rows.cols} rows is ${slopes.rows} × ${slopes.cols}`);
    const wide = await differences(some, steps, 1, (moved) => ask(moved, o));
    const close = await differences(some, steps, 0.5, (moved) => ask(moved, o));
    slopes.data.forEach((slope, c) => {
      const allowed =
        1e-3 * Math.max(Math.abs(slope), Math.abs(close[c]!)) + 1e-6 / (steps[c % rows.cols]! / STEP);
      if (Math.abs(wide[c]! - close[c]!) > allowed) return;
      compared++;
      const where = `row ${Math.floor(c / rows.cols)}, column ${c % rows.cols}, output ${o}`;
      demand(
        Math.abs(slope - close[c]!) <= allowed,
        () => `the gradient at ${where} is ${slope}, but scores move by ${close[c]} per unit`,
      );
    });
  }
  demand(compared > 0, () => "no cell has a slope that two step sizes agree on");
  return `${compared} slopes agree with finite differences`;
}

/** The column's standard deviation, or 1 where it is constant. */
function spread(rows: Matrix, k: number): number {
  const deviation = sd(Float64Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i)[k]!));
  return deviation > 0 ? deviation : 1;
}

/** (f(z + h e_k) − f(z − h e_k)) / 2h for every cell, h = factor · steps[k]. */
async function differences(
  rows: Matrix,
  steps: Float64Array,
  factor: number,
  ask: (rows: Matrix) => Promise<Float64Array>,
): Promise<Float64Array> {
  const out = new Float64Array(rows.data.length);
  for (let k = 0; k < rows.cols; k++) {
    const moved = (by: number): Matrix => {
      const copy = copyOf(rows);
      for (let i = 0; i < rows.rows; i++) copy.data[i * rows.cols + k]! += by;
      return copy;
    };
    const h = factor * steps[k]!;
    const [up, down] = [await ask(moved(h)), await ask(moved(-h))];
    for (let i = 0; i < rows.rows; i++) out[i * rows.cols + k] = (up[i]! - down[i]!) / (2 * h);
  }
  return out;
}

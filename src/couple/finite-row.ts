import { ColaError } from "../errors.ts";
import type { Cost } from "../types.ts";

/** Writes c(i, ·) into `out`; COST_INVALID where a cost is NaN or infinite. */
export function finiteRow(owner: string, cost: Cost, i: number, out: Float64Array): void {
  cost.row(i, out);
  for (let j = 0; j < out.length; j++) {
    if (out[j]! - out[j]! !== 0) throw notFinite(owner, i, j, out[j]!);
  }
}

export function notFinite(owner: string, row: number, column: number, value: number): ColaError {
  return new ColaError(
    "COST_INVALID",
    `${owner}: the cost of row ${row} and column ${column} is ${value}; every cost must be a finite number.`,
    { row, column, value: String(value) },
  );
}

import type { LinearStructure } from "../types.ts";
import { sizesIn, widened } from "./bound-sizes.ts";
import type { Box } from "./kernels.ts";
import { marginError } from "./rounding.ts";

/** intercept + Σ weight · (the end of its cells that lowers, or raises, the sum). */
export function linearRange(linear: LinearStructure, box: Box): readonly [low: number, high: number] {
  const { intercept, weights, skipsMissing } = linear;
  let [low, high] = [intercept, intercept];
  weights.forEach((weight, c) => {
    // A weight of 0 adds nothing, however large the cell.
    if (weight === 0) return;
    const { values, missing, ...cells } = box[c]!;
    const ends = values ?? (cells.low <= cells.high ? [cells.low, cells.high] : []);
    const terms = ends.map((v) => weight * v);
    if (missing && skipsMissing) terms.push(0);
    // Rows with a gap that is not skipped have no margin.
    if (terms.length === 0) return;
    low += Math.min(...terms);
    high += Math.max(...terms);
  });
  return widened([low, high], marginError(linear, sizesIn(box)));
}

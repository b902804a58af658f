import type { Cost, Coupling, Matrix } from "../types.ts";
import { costOf } from "./cost.ts";
import { finiteRow } from "./finite-row.ts";
import { onePartner } from "./rows.ts";

/** p_ij = 1/n where j = argmin_j c_ij; among equal costs the smallest j. */
export function nearest(cost: Cost | Matrix): Coupling {
  const given = costOf(cost);
  const row = new Float64Array(given.m);
  let sum = 0;
  const partners = Int32Array.from({ length: given.n }, (_, i) => {
    finiteRow("nearest", given, i, row);
    const j = leastOf(row);
    sum += row[j]!;
    return j;
  });
  return onePartner("nearest", given.m, partners, sum / given.n);
}

/** Index of the smallest number, the first of several. */
export function leastOf(values: Float64Array): number {
  let least = 0;
  for (let j = 1; j < values.length; j++) if (values[j]! < values[least]!) least = j;
  return least;
}

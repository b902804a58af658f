import { likeliest } from "../couple/likeliest.ts";
import { ColaError, checkCount } from "../errors.ts";
import { rowOf } from "../num/matrix.ts";
import type { Cost, Coupling, Matrix } from "../types.ts";

/** A proposal matrix and the reference each row was copied from. */
export type Chosen = Matrix & { readonly index: Int32Array };

/**
 * A_max: q_i = r_τ(i), τ(i) = argmax_j p(j|i). Ties (within 1e-12) go to the nearest reference if a cost is
 * given, then to the smallest j.
 */
export function mostLikely(coupling: Coupling, r: Matrix, cost?: Cost): Chosen {
  checkFit("mostLikely", coupling, r);
  const index = likeliest(coupling, cost);
  checkPartners("mostLikely", index.indexOf(-1));
  const data = new Float64Array(coupling.n * r.cols);
  index.forEach((j, i) => {
    data.set(rowOf(r, j), i * r.cols);
  });
  return { data, rows: coupling.n, cols: r.cols, index };
}

/** Throws unless r has the rows the coupling was made from. */
export function checkFit(owner: string, coupling: Coupling, r: Matrix): void {
  checkCount(owner, "r", r.rows, coupling.m, "references of the coupling");
}

/** Throws unless every row has a partner: `i` is the first without, or −1. */
export function checkPartners(owner: string, i: number): void {
  if (i < 0) return;
  throw new ColaError(
    "WEIGHTS_INVALID",
    `${owner}: row ${i} of the coupling has no mass; give it a weight above 0.`,
    { row: i },
  );
}

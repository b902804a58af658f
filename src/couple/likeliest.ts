import type { Cost, Coupling } from "../types.ts";

/** Conditional masses this close to the row's largest are tied. */
const TIE = 1e-12;

/**
 * τ(i) = argmax_j p(j|i). Ties (within 1e-12) go to the nearest reference if a cost is given, then to the
 * smallest j; a row without mass has −1.
 */
export function likeliest(coupling: Coupling, cost?: Cost): Int32Array {
  const index = new Int32Array(coupling.n).fill(-1);
  const distances = cost ? new Float64Array(coupling.m) : undefined;
  for (let e = 0; e < coupling.rows.length; ) {
    const i = coupling.rows[e]!;
    let end = e;
    let total = 0;
    let largest = 0;
    for (; end < coupling.rows.length && coupling.rows[end] === i; end++) {
      total += coupling.mass[end]!;
      largest = Math.max(largest, coupling.mass[end]!);
    }
    if (distances) cost!.row(i, distances);
    for (; e < end; e++) {
      if (coupling.mass[e]! / total < largest / total - TIE) continue;
      const [j, held] = [coupling.cols[e]!, index[i]!];
      if (held < 0 || (distances && distances[j]! < distances[held]!)) index[i] = j;
    }
  }
  return index;
}

import type { Cost, Coupling } from "../types.ts";
import { rowStarts } from "./rows.ts";

/** Conditional masses this close to the row's largest are tied. */
const TIE = 1e-12;

/**
 * τ(i) = argmax_j p(j|i). Ties (within 1e-12) go to the nearest reference if a cost is given, then to the
 * smallest j; a row without mass has −1.
 */
export function likeliest(coupling: Coupling, cost?: Cost): Int32Array {
  const index = new Int32Array(coupling.n).fill(-1);
  const distances = cost ? new Float64Array(coupling.m) : undefined;
  const start = rowStarts(coupling);
  for (let i = 0; i < coupling.n; i++) {
    const own = coupling.mass.subarray(start[i]!, start[i + 1]!);
    const total = own.reduce((sum, mass) => sum + mass, 0);
    const largest = own.reduce((most, mass) => Math.max(most, mass), 0);
    if (distances) cost!.row(i, distances);
    for (let e = start[i]!; e < start[i + 1]!; e++) {
      const mass = coupling.mass[e]!;
      if (mass === 0 || mass / total < largest / total - TIE) continue;
      const [j, held] = [coupling.cols[e]!, index[i]!];
      if (held < 0 || (distances && distances[j]! < distances[held]!)) index[i] = j;
    }
  }
  return index;
}

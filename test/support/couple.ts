import { toDense } from "../../src/couple/dense.ts";
import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Coupling, Matrix } from "../../src/types.ts";

/** rows × cols standard normal cells. */
export function gaussian(rows: number, cols: number, seed: number, name = "x"): Matrix {
  const source = stream(seed, "gaussian", name);
  return matrix(
    rows,
    cols,
    Float64Array.from({ length: rows * cols }, () => source.normal()),
  );
}

/** Positive weights that sum to one. */
export function weights(size: number, seed: number): Float64Array {
  const source = stream(seed, "weights");
  const raw = Float64Array.from({ length: size }, () => 0.1 + source.next());
  const sum = raw.reduce((total, w) => total + w, 0);
  return raw.map((w) => w / sum);
}

export function rowSums(p: Coupling): Float64Array {
  const sums = new Float64Array(p.n);
  p.rows.forEach((i, e) => {
    sums[i]! += p.mass[e]!;
  });
  return sums;
}

export function colSums(p: Coupling): Float64Array {
  const sums = new Float64Array(p.m);
  p.cols.forEach((j, e) => {
    sums[j]! += p.mass[e]!;
  });
  return sums;
}

export function l1(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, v, i) => sum + Math.abs(v - b[i]!), 0);
}

/** Largest difference of two couplings, cell by cell. */
export function farthest(a: Coupling, b: Coupling): number {
  const q = toDense(b).data;
  return toDense(a).data.reduce((most, p, at) => Math.max(most, Math.abs(p - q[at]!)), 0);
}

export function mean(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, v) => sum + v, 0) / values.length;
}

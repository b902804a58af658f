import { ColaError } from "../errors.ts";
import type { Attribution } from "../types.ts";
import type { AttributionProblem, RowGroup } from "./plan.ts";
import type { Space } from "./space.ts";

/** Σ_j p(j|i) of what the games of row i gave, row by row. */
export interface Sums {
  /** Takes the solved games of a group in, references in the order of the coupling; returns its rows. */
  add(group: RowGroup): number;
  /** Takes φ_i, f(x_i) and Σ_j p(j|i) f(r_j) in, where they were found for all references at once. */
  addDense(i: number, phi: Float64Array, start: number, base: number): void;
  attribution(spaces: readonly Space[], evaluations: number): Attribution;
}

export function sumsOf({ x, r, weights, players }: AttributionProblem): Sums {
  const [n, cols] = [x.encoded.rows, players.length];
  const values = new Float64Array(n * cols);
  const errors = new Float64Array(n * cols);
  const base = new Float64Array(n);
  let residual = 0;
  let exact = true;
  const addRow = (i: number, { games, start }: RowGroup): void => {
    const at = i * cols;
    if (weights.start[i] === weights.start[i + 1]) base[i] = start;
    for (let e = weights.start[i]!; e < weights.start[i + 1]!; e++) {
      const { end, phi, sigma, players: own } = games.get(r.first[weights.cols[e]!]!)!;
      const p = weights.weight[e]!;
      base[i]! += p * end;
      for (let t = 0; t < phi.length; t++) values[at + own[t]!]! += p * phi[t]!;
      if (!sigma) continue;
      exact = false;
      for (let t = 0; t < phi.length; t++) errors[at + own[t]!]! += p * sigma[t]!;
    }
    settle(i, start);
  };
  const settle = (i: number, start: number): void => {
    let sum = 0;
    for (let u = 0; u < cols; u++) sum += values[i * cols + u]!;
    residual = Math.max(residual, Math.abs(start - base[i]! - sum));
  };
  return {
    add(group) {
      for (const i of group.rows) addRow(i, group);
      return group.rows.length;
    },
    addDense(i, phi, start, mean) {
      values.set(phi, i * cols);
      base[i] = mean;
      settle(i, start);
    },
    attribution: (spaces, evaluations) => {
      checkFinite(values, residual);
      return {
        values: { data: values, rows: n, cols },
        base,
        residual,
        exact,
        space: spaces.includes("margin") ? "margin" : "score",
        evaluations,
        ...(spaces.some((space) => space !== spaces[0]) ? { spaces } : {}),
        ...(exact ? {} : { stderr: { data: errors, rows: n, cols } }),
      };
    },
  };
}

/** φ are differences of scores, and sum to one: of scores ±1e308 that is not a number. */
function checkFinite(values: Float64Array, residual: number): void {
  if (Number.isFinite(residual) && values.every(Number.isFinite)) return;
  throw new ColaError(
    "PREDICT_OVERFLOW",
    "pshap: the scores are so far apart that their differences are beyond the range of numbers; rescale the model's scores.",
  );
}

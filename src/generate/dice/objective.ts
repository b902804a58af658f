import { squaredDistance } from "../../data/metric.ts";
import { number } from "../../train/options.ts";
import type { Run } from "../run.ts";
import { editsOf, type Row } from "../search.ts";

/** Weights of what makes one counterfactual better than another. */
export interface DiceWeights {
  /** Weight of the distance to x (mixed metric, per square root of the editable features). Default 0.2. */
  readonly proximityWeight?: number;
  /** Weight of the share of features changed. Default 0.2. */
  readonly sparsityWeight?: number;
  /** Weight of the determinant of K, K_ij = 1 / (1 + d(z_i, z_j)): how different several are. Default 1. */
  readonly diversityWeight?: number;
}

export const WEIGHT_RULES = {
  proximityWeight: number(0.2, 0, 1e6),
  sparsityWeight: number(0.2, 0, 1e6),
  diversityWeight: number(1, 0, 1e6),
};

/** proximityWeight · d(x, z)/√features + sparsityWeight · share of changed features. */
export function lossOf(run: Run, row: Row, z: Float64Array, weights: Required<DiceWeights>): number {
  const features = run.metric.use.reduce((sum, use) => sum + use, 0);
  const proximity = Math.sqrt(squaredDistance(run.metric, row.x, z) / Math.max(1, features));
  const sparsity = editsOf(run, row.x, z) / row.moves.length;
  return weights.proximityWeight * proximity + weights.sparsityWeight * sparsity;
}

/** Keeps the determinant of K positive when two rows agree. */
const JITTER = 1e-4;

/**
 * `count` rows of small loss that differ from each other: greedily the row that lowers
 * loss − diversityWeight · det K most relative to det K of those chosen, by an incremental Cholesky
 * factorisation (Chen, Zhang and Zhou 2018).
 */
export function choose(
  run: Run,
  rows: readonly Float64Array[],
  losses: readonly number[],
  diversityWeight: number,
  count: number,
): number[] {
  const chosen: number[] = [];
  const rest = rows.map(() => 1 + JITTER);
  const factors: number[][] = rows.map(() => []);
  while (chosen.length < Math.min(count, rows.length)) {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let j = 0; j < rows.length; j++) {
      if (chosen.includes(j)) continue;
      const value = losses[j]! - (chosen.length === 0 ? 0 : diversityWeight * rest[j]!);
      if (value < least || best < 0) [best, least] = [j, value];
    }
    chosen.push(best);
    if (chosen.length < count) eliminate(run, rows, rest, factors, best);
  }
  return chosen;
}

/** Takes row i out of the others: rest_j becomes the share of det K that j would still add. */
function eliminate(
  run: Run,
  rows: readonly Float64Array[],
  rest: number[],
  factors: readonly number[][],
  i: number,
): void {
  const pivot = Math.sqrt(Math.max(rest[i]!, 1e-12));
  const own = [...factors[i]!];
  for (let j = 0; j < rows.length; j++) {
    const k = 1 / (1 + Math.sqrt(squaredDistance(run.metric, rows[i]!, rows[j]!)));
    const e = (k - own.reduce((sum, f, t) => sum + f * factors[j]![t]!, 0)) / pivot;
    factors[j]!.push(e);
    rest[j]! -= e * e;
  }
}

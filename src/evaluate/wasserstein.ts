import { costOf, squaredEuclidean } from "../couple/cost.ts";
import { transport } from "../couple/transport.ts";
import { ColaError } from "../errors.ts";
import type { Cost, Matrix, WorkOptions } from "../types.ts";
import type { SampleWeights } from "./sample.ts";

export interface WassersteinOptions extends SampleWeights, WorkOptions {
  /** 1: W1, the least mean distance. 2: W2², the least mean squared distance, no root. Default 2. */
  readonly order?: 1 | 2;
}

/** W1 or W2² of two samples of rows (n × d and m × d) under Euclid's distance, by exact transport. */
export async function wasserstein(a: Matrix, b: Matrix, options: WassersteinOptions = {}): Promise<number> {
  const { order = 2, wa, wb, ...work } = options;
  if (order !== 1 && order !== 2) {
    throw new ColaError("OPTION_INVALID", `wasserstein: order must be 1 or 2, not ${order}.`, { order });
  }
  const squared = squaredEuclidean(a, b);
  const plan = await transport(order === 2 ? squared : rooted(squared), {
    ...work,
    ...(wa ? { a: wa } : {}),
    ...(wb ? { b: wb } : {}),
  });
  return plan.cost;
}

/** √c, as a matrix: its points would say that the cost is squared. */
function rooted(cost: Cost): Cost {
  const { data, rows, cols } = cost.dense();
  return costOf({ data: data.map(Math.sqrt), rows, cols });
}

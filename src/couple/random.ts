import { checkCount, checkOption } from "../errors.ts";
import { type Random, stream } from "../num/random.ts";
import type { Coupling } from "../types.ts";
import { onePartner } from "./rows.ts";
import { checkSizes, uniform } from "./uniform.ts";

export interface RandomOptions {
  /** Seed of the draw; give it or `random`. */
  readonly seed?: number;
  /** Stream to draw from; it is split, not advanced. */
  readonly random?: Random;
  /** All cells U(0, 1), each row scaled to 1/n, instead of one partner per row. Default false. */
  readonly dense?: boolean;
  /** A key per row, so that a row keeps its draw in any order and batch (see `rowKeys`). Default: i. */
  readonly keys?: readonly (string | number)[];
}

/**
 * The paper's p_Rnd. Default: p_ij = 1/n for one uniformly drawn j per row (with repetition).
 * `dense`: p_ij = U_ij / (n Σ_j U_ij), the variant its authors ran.
 */
export function random(n: number, m: number, options: RandomOptions = {}): Coupling {
  checkSizes("random", n, m);
  const { keys, dense = false } = options;
  if (keys) checkCount("random", "keys", keys.length, n, "rows");
  const source = sourceOf(options);
  if (!dense) return drawn(n, m, source, keys);
  return denseRandom(
    n,
    m,
    Array.from({ length: n }, (_, i) => streamOf(source, keys, i)),
  );
}

/** One partner per row, drawn from the row's own stream. */
export function drawn(n: number, m: number, source: Random, keys?: RandomOptions["keys"]): Coupling {
  const draw = (_: unknown, i: number): number => streamOf(source, keys, i).int(m);
  return onePartner("random", m, Int32Array.from({ length: n }, draw));
}

function streamOf(source: Random, keys: RandomOptions["keys"], i: number): Random {
  return source.split("random", keys?.[i] ?? i);
}

function denseRandom(n: number, m: number, streams: readonly Random[]): Coupling {
  const mass = new Float64Array(n * m);
  streams.forEach((row, i) => {
    let sum = 0;
    for (let e = i * m; e < (i + 1) * m; e++) {
      mass[e] = 1 - row.next();
      sum += mass[e]!;
    }
    for (let e = i * m; e < (i + 1) * m; e++) mass[e]! /= n * sum;
  });
  const { rows, cols, cost, gap, converged, iterations } = uniform(n, m);
  return { name: "random", n, m, rows, cols, mass, cost, gap, converged, iterations };
}

function sourceOf({ seed, random }: RandomOptions): Random {
  if (random) return random;
  checkOption(Number.isFinite(seed), "random", "seed", "a finite number where no stream is given", seed);
  return stream(seed!, "couple");
}

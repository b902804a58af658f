import { ColaError } from "../errors.ts";
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
  if (keys && keys.length !== n) {
    throw new ColaError(
      "INPUT_SHAPE",
      `random: ${keys.length} keys were given for ${n} rows; give one per row.`,
      {
        keys: keys.length,
        n,
      },
    );
  }
  const source = sourceOf(options);
  const streams = Array.from({ length: n }, (_, i) => source.split("random", keys?.[i] ?? i));
  if (dense) return denseRandom(n, m, streams);
  return onePartner(
    "random",
    m,
    Int32Array.from(streams, (row) => row.int(m)),
  );
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
  if (typeof seed === "number" && Number.isFinite(seed)) return stream(seed, "couple");
  throw new ColaError(
    "OPTION_INVALID",
    `random: give a finite seed or a stream as random, not seed = ${seed}.`,
    {
      option: "seed",
      value: String(seed),
    },
  );
}

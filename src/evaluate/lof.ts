import { startWork } from "../budget.ts";
import { ColaError } from "../errors.ts";
import type { Matrix, WorkOptions } from "../types.ts";
import { type NearestRows, nearestRows } from "./nearest-rows.ts";
import { checkedK, checkRows, type NeighbourOptions } from "./ynn.ts";

/** Added to a mean reach, so that stacked equal rows have a finite density and are as dense as each other. */
const REACH_FLOOR = 1e-10;

/**
 * LOF(z_i) = mean_{o ∈ kNN(z_i)} lrd(o) / lrd(z_i), the local outlier factor (Breunig et al. 2000) of each row
 * of z against the reference rows: about 1 inside, larger outside. lrd(p) = 1 / mean_{o ∈ kNN(p)} reach(p, o),
 * reach(p, o) = max(distance of o to its k-th neighbour, ‖p − o‖). Reference rows are not their own neighbours.
 */
export async function lof(
  z: Matrix,
  reference: Matrix,
  options: NeighbourOptions = {},
): Promise<Float64Array> {
  return (await lofAgainst(reference, options))(z);
}

/** The same for many z: the densities of the reference rows, most of the work, are found once. */
export async function lofAgainst(
  reference: Matrix,
  options: NeighbourOptions = {},
): Promise<(z: Matrix) => Promise<Float64Array>> {
  checkRows("lof", reference, reference);
  if (reference.rows < 2) {
    throw new ColaError(
      "INPUT_EMPTY",
      "lof: the reference has one row, which has no neighbours; give more.",
      {
        rows: reference.rows,
      },
    );
  }
  const k = Math.min(checkedK("lof", options.k ?? 20), reference.rows - 1);
  const work = startWork("lof", options satisfies WorkOptions);
  work.check();
  const among = await nearestRows(reference, reference, k, work, true);
  const density = densities(among, among);
  return async (z) => {
    checkRows("lof", z, reference);
    const near = await nearestRows(z, reference, k, work);
    return densities(near, among).map((own, i) => {
      let sum = 0;
      for (let at = i * k; at < (i + 1) * k; at++) sum += density[near.index[at]!]!;
      return sum / k / own;
    });
  };
}

/** lrd of each query row; `among` knows how far a reference row's k-th neighbour is. */
function densities({ k, index, distance }: NearestRows, among: NearestRows): Float64Array {
  return Float64Array.from({ length: index.length / k }, (_, i) => {
    let reach = 0;
    for (let at = i * k; at < (i + 1) * k; at++) {
      reach += Math.max(distance[at]!, among.distance[(index[at]! + 1) * k - 1]!);
    }
    return 1 / (reach / k + REACH_FLOOR);
  });
}

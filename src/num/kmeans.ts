import type { Matrix } from "../basic-types.ts";
import { squaredDistance } from "./linalg.ts";
import { copyOf, takeRows } from "./matrix.ts";
import type { Random } from "./random.ts";

/**
 * k centres that make Σ_i min_c ‖x_i − c‖² small: k-means++ starts (Arthur and Vassilvitskii 2007), then
 * Lloyd's rounds until nothing moves or `rounds` are done. Fewer centres come back where rows repeat.
 */
export function kmeans(x: Matrix, k: number, random: Random, rounds = 30): Matrix {
  let centres = spread(x, Math.min(k, x.rows), random);
  let owner = new Int32Array(x.rows).fill(-1);
  for (let round = 0; round < rounds; round++) {
    const next = Int32Array.from(owner, (_, i) => nearest(x, i, centres));
    if (next.every((c, i) => c === owner[i])) break;
    owner = next;
    centres = means(x, owner, centres);
  }
  return centres;
}

/** Rows drawn one by one with probability proportional to the squared distance to those drawn before. */
function spread(x: Matrix, k: number, random: Random): Matrix {
  const chosen = [random.int(x.rows)];
  const gap = new Float64Array(x.rows).fill(Number.POSITIVE_INFINITY);
  while (chosen.length < k) {
    const last = chosen.at(-1)! * x.cols;
    let total = 0;
    for (let i = 0; i < x.rows; i++) {
      gap[i] = Math.min(gap[i]!, squaredDistance(x.data, i * x.cols, x.data, last, x.cols));
      total += gap[i]!;
    }
    if (total === 0) break;
    let left = random.next() * total;
    let pick = gap.findLastIndex((g) => g > 0);
    for (let i = 0; i < x.rows; i++) {
      left -= gap[i]!;
      if (left < 0) {
        pick = i;
        break;
      }
    }
    chosen.push(pick);
  }
  return takeRows(x, chosen);
}

function nearest(x: Matrix, i: number, centres: Matrix): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let c = 0; c < centres.rows; c++) {
    const gap = squaredDistance(x.data, i * x.cols, centres.data, c * x.cols, x.cols);
    if (gap < least) {
      least = gap;
      best = c;
    }
  }
  return best;
}

/** The mean of each centre's rows; a centre without rows stays. */
function means(x: Matrix, owner: Int32Array, centres: Matrix): Matrix {
  const counts = new Int32Array(centres.rows);
  const sums = new Float64Array(centres.data.length);
  for (let i = 0; i < x.rows; i++) {
    const c = owner[i]!;
    counts[c]!++;
    for (let f = 0; f < x.cols; f++) sums[c * x.cols + f]! += x.data[i * x.cols + f]!;
  }
  const next = copyOf(centres);
  for (let c = 0; c < centres.rows; c++) {
    if (counts[c] === 0) continue;
    for (let f = 0; f < x.cols; f++) next.data[c * x.cols + f] = sums[c * x.cols + f]! / counts[c]!;
  }
  return next;
}

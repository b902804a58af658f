/** Number of members of every set below 2^k, for the largest k asked so far. */
let sizes = new Uint8Array(1);
/** Scratch of shapleyInto, as long as `sizes`. */
let without = new Float64Array(1);
let having = new Float64Array(1);

function setSizes(k: number): Uint8Array {
  if (sizes.length < 2 ** k) {
    sizes = new Uint8Array(2 ** k);
    without = new Float64Array(2 ** k);
    having = new Float64Array(2 ** k);
    for (let set = 1; set < sizes.length; set++) sizes[set] = sizes[set >> 1]! + (set & 1);
  }
  return sizes;
}

/**
 * φ_u = Σ_{T∌u} w_|T| (v(T) − v(T ∪ u)), w_t = t! (k−1−t)! / k!, over the sets T of edited players: what
 * player u gives to f(x) − f(r). `cube` holds v(T) at index T (bit u: player u is edited); φ is written to
 * `out`. Player by player the cube is folded along u, so all φ take O(2^k); the two terms of a difference
 * are weighed and folded alike, so a player the game does not depend on gets exactly 0.
 */
export function shapleyInto(cube: Float64Array, k: number, out: Float64Array): void {
  const size = setSizes(k);
  const weight = shapleyWeights(k);
  for (let set = 0; set < cube.length; set++) {
    const t = size[set]!;
    without[set] = t < k ? weight[t]! * cube[set]! : 0;
    having[set] = t > 0 ? weight[t - 1]! * cube[set]! : 0;
  }
  for (let u = k - 1; u >= 0; u--) {
    const half = 1 << u;
    let sum = 0;
    for (let set = 0; set < half; set++) {
      sum += without[set]! - having[set + half]!;
      without[set]! += without[set + half]!;
      having[set]! += having[set + half]!;
    }
    out[u] = sum;
  }
}

const weights: Float64Array[] = [];

/** t! (k−1−t)! / k! = 1 / (k · C(k−1, t)) for t = 0 … k−1. */
export function shapleyWeights(k: number): Float64Array {
  const known = weights[k];
  if (known) return known;
  const weight = new Float64Array(k);
  let binomial = 1;
  for (let t = 0; t < k; t++) {
    weight[t] = 1 / (k * binomial);
    binomial = (binomial * (k - 1 - t)) / (t + 1);
  }
  weights[k] = weight;
  return weight;
}

import { stream } from "../num/random.ts";

/**
 * Sets of kept players (bit u of word u ≫ 5 is set where player u is kept), of each of the 2^(k−1) pairs {S, Sᶜ} the one
 * with player 0, among which a sampled game chooses what it asks for: first all, then random sets without repetition,
 * sizes drawn evenly. They depend on k alone, so longer designs extend shorter ones; a game permutes its players instead.
 */
export function* masksOf(k: number): Generator<Uint32Array, never> {
  const random = stream(0, "attribute", "masks", k);
  const all = maskOf(k, random.permutation(k));
  const seen = new Set<string>();
  for (let mask = all; ; ) {
    if (!seen.has(mask.join())) yield mask;
    seen.add(mask.join());
    mask = maskOf(k, random.sample(k, 1 + random.int(k - 1)));
    if (!has(mask, 0)) mask = mask.map((word, w) => word ^ all[w]!);
  }
}

function maskOf(k: number, members: ArrayLike<number>): Uint32Array {
  const mask = new Uint32Array(Math.ceil(k / 32));
  for (let s = 0; s < members.length; s++) mask[members[s]! >>> 5]! |= 1 << (members[s]! & 31);
  return mask;
}

/** Is player u in the set? */
export function has(mask: Uint32Array, u: number): boolean {
  return ((mask[u >>> 5]! >>> (u & 31)) & 1) === 1;
}

/** |S △ T|. */
export function hamming(a: Uint32Array, b: Uint32Array): number {
  let count = 0;
  for (let w = 0; w < a.length; w++) {
    let bits = a[w]! ^ b[w]!;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

import { choose } from "../match/sets.ts";
import { stream } from "../num/random.ts";

/**
 * Sets of kept players, one of each pair {S, Sᶜ}, in the order in which a sampled game asks for them: first
 * S = all, then random sets without repetition, sizes drawn evenly among 1 … ⌊k/2⌋ as long as a size has
 * sets left. The sequence depends on k alone, so longer designs extend shorter ones; a game permutes its
 * players instead.
 */
export interface MaskSequence {
  readonly k: number;
  /** 32-bit words per mask; bit u of word u ≫ 5 is set where player u is kept. */
  readonly words: number;
  /** Pairs there are in all: 2^(k−1). */
  readonly most: number;
  /** The n-th mask, n < most. */
  at(n: number): Uint32Array;
}

export function maskSequence(k: number): MaskSequence {
  const words = Math.ceil(k / 32);
  const random = stream(0, "attribute", "masks", k);
  const half = k >> 1;
  const left = Array.from({ length: half + 1 }, (_, size) => setsOf(k, size));
  left[0] = 0;
  const masks = [
    maskOf(
      words,
      Array.from({ length: k }, (_, u) => u),
    ),
  ];
  const seen = new Set<string>();
  const most = 2 ** (k - 1);
  const draw = (): Uint32Array => {
    const open = left.flatMap((count, size) => (count > 0 ? [size] : []));
    const size = open[random.int(open.length)]!;
    for (;;) {
      const mask = maskOf(words, random.sample(k, size));
      const key = keyOf(mask, k, 2 * size === k);
      if (seen.has(key)) continue;
      seen.add(key);
      left[size]!--;
      return mask;
    }
  };
  const at = (n: number): Uint32Array => {
    while (masks.length <= n) masks.push(draw());
    return masks[n]!;
  };
  return { k, words, most, at };
}

/** Sets of this size, counting {S, Sᶜ} once. */
function setsOf(k: number, size: number): number {
  return 2 * size === k ? choose(k, size) / 2 : choose(k, size);
}

function maskOf(words: number, members: ArrayLike<number>): Uint32Array {
  const mask = new Uint32Array(words);
  for (let s = 0; s < members.length; s++) mask[members[s]! >>> 5]! |= 1 << (members[s]! & 31);
  return mask;
}

/** The same for S and, where both have the same size, Sᶜ. */
function keyOf(mask: Uint32Array, k: number, halved: boolean): string {
  if (!halved || (mask[0]! & 1) === 1) return mask.join();
  return maskOf(
    mask.length,
    Array.from({ length: k }, (_, u) => u).filter((u) => !has(mask, u)),
  ).join();
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

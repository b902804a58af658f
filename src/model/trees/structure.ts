import type { Trees } from "../../types.ts";

/** Bits of `Trees.flags`. */
export const NODE = {
  /** A missing value goes left (else right). */
  missingLeft: 1,
  /** Categorical split: whole values in the node's bit set go left, all others right. */
  categorical: 2,
  /** NaN is read as 0 before the test (a library whose file says "no missing values"). */
  nanIsZero: 4,
  /** Values within ±1e-35 count as missing too. */
  zeroIsMissing: 8,
  /** With `categorical`: members of the bit set go right, all others left. */
  membersRight: 16,
} as const;

/** Do all splits go by their threshold, missing values by their flag? */
export function isPlain({ flags }: Trees): boolean {
  return flags.every((own) => (own & ~NODE.missingLeft) === 0);
}

const ZERO_BAND = 1e-35;

/**
 * The node rule: does value z go left at `node`? Missing values follow their flag; categories their bit
 * set; numbers the threshold (z already rounded to float32 where the trees say so).
 */
export function goesLeft(trees: Trees, node: number, z: number): boolean {
  const flags = trees.flags[node]!;
  if ((flags & ~NODE.missingLeft) !== 0) return specialGoesLeft(trees, node, z, flags);
  if (Number.isNaN(z)) return (flags & NODE.missingLeft) !== 0;
  return trees.inclusive ? z <= trees.threshold[node]! : z < trees.threshold[node]!;
}

function specialGoesLeft(trees: Trees, node: number, given: number, flags: number): boolean {
  const z = Number.isNaN(given) && (flags & NODE.nanIsZero) !== 0 ? 0 : given;
  const missing = Number.isNaN(z) || ((flags & NODE.zeroIsMissing) !== 0 && Math.abs(z) <= ZERO_BAND);
  if (missing) return (flags & NODE.missingLeft) !== 0;
  if ((flags & NODE.categorical) === 0) {
    return trees.inclusive ? z <= trees.threshold[node]! : z < trees.threshold[node]!;
  }
  const member = isMember(trees, node, Math.trunc(z));
  return member !== ((flags & NODE.membersRight) !== 0);
}

function isMember(trees: Trees, node: number, category: number): boolean {
  const start = trees.categoryStart![node]!;
  const words = trees.categoryStart![node + 1]! - start;
  if (category < 0 || category >= words * 32) return false;
  return ((trees.categoryWords![start + (category >>> 5)]! >>> (category & 31)) & 1) === 1;
}

/** The value as the trees compare it. */
export function seen(trees: Trees, z: number): number {
  return trees.float32 ? Math.fround(z) : z;
}

/** The leaf row z (as `seen`) ends in. */
export function leafOf(trees: Trees, root: number, z: ArrayLike<number>): number {
  let node = root;
  while (trees.feature[node]! >= 0) {
    node = goesLeft(trees, node, z[trees.feature[node]!]!) ? trees.left[node]! : trees.right[node]!;
  }
  return node;
}

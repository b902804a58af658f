import type { Work } from "../../budget.ts";
import { addBit, type Bits, bothBits, countBits, countBoth, noBits } from "./bits.ts";

/** Feature k lies in a bin. */
export interface Item {
  readonly k: number;
  readonly bin: number;
}

/** Items over different features, and the rows that have them all. */
export interface ItemSet {
  /** By rising k. */
  readonly items: readonly Item[];
  readonly rows: Bits;
  readonly count: number;
}

export interface MiningLimits {
  /** Rows that must have all items. */
  readonly least: number;
  /** Items, at most. */
  readonly longest: number;
  /** Sets, at most: the shorter and the more frequent come first. */
  readonly most: number;
}

/**
 * Frequent item sets by Apriori (Agrawal and Srikant 1994), level by level over bit sets of rows: a set grows
 * by items of later features, which finds every set once, from a subset that is frequent itself. `codes` are
 * the bins of n rows over d features, −1 for a missing value, which is not an item.
 */
export async function itemSets(
  codes: Int32Array,
  d: number,
  features: readonly number[],
  limits: MiningLimits,
  work: Work,
): Promise<ItemSet[]> {
  const single = singles(codes, d, features, limits.least);
  const found: ItemSet[] = [];
  let level = single;
  for (let size = 1; level.length > 0; size++) {
    found.push(...level.slice(0, limits.most - found.length));
    const room = limits.most - found.length;
    if (size === limits.longest || room === 0) break;
    const grown: Grown[] = [];
    for (const set of level) {
      for (const one of single) {
        if (one.items[0]!.k <= set.items.at(-1)!.k) continue;
        const count = countBoth(set.rows, one.rows);
        if (count >= limits.least) grown.push({ set, one, count });
      }
      if (work.due()) await work.pause(found.length, limits.most);
    }
    grown.sort((a, b) => b.count - a.count || byItems(a.set, b.set) || byItems(a.one, b.one));
    level = grown.slice(0, room).map(({ set, one, count }) => ({
      items: [...set.items, one.items[0]!],
      rows: bothBits(set.rows, one.rows),
      count,
    }));
  }
  return found;
}

/** A set and the item it grows by. */
interface Grown {
  readonly set: ItemSet;
  readonly one: ItemSet;
  readonly count: number;
}

function singles(codes: Int32Array, d: number, features: readonly number[], least: number): ItemSet[] {
  const n = codes.length / d;
  const found: ItemSet[] = [];
  for (const k of features) {
    const rows = new Map<number, Bits>();
    for (let i = 0; i < n; i++) {
      const bin = codes[i * d + k]!;
      if (bin < 0) continue;
      if (!rows.has(bin)) rows.set(bin, noBits(n));
      addBit(rows.get(bin)!, i);
    }
    for (const [bin, bits] of rows) {
      const count = countBits(bits);
      if (count >= least) found.push({ items: [{ k, bin }], rows: bits, count });
    }
  }
  return found.sort(byCount);
}

/** Most rows first, then by the items themselves. */
const byCount = (a: ItemSet, b: ItemSet): number => b.count - a.count || byItems(a, b);

function byItems(a: ItemSet, b: ItemSet): number {
  for (let t = 0; t < a.items.length; t++) {
    const [p, q] = [a.items[t]!, b.items[t]!];
    if (p.k !== q.k || p.bin !== q.bin) return p.k - q.k || p.bin - q.bin;
  }
  return 0;
}

/** The features of a set, as a key. */
export const featuresKey = (set: ItemSet): string => set.items.map(({ k }) => k).join(" ");

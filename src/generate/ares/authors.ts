import type { Random } from "../../num/random.ts";
import { type Bins, binCodes } from "../bins.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";
import { addBit, countBits, noBits } from "./bits.ts";
import { type Candidate, codesOf, type GroundLimits } from "./ground-set.ts";
import { featuresKey, type ItemSet, itemSets } from "./item-sets.ts";

/**
 * The ground set of the authors' program: conditions and goals are item sets frequent among all rows given,
 * goals are kept if their features occur twice, and what is tried is left to chance.
 */
export async function authorsGroundSet(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  limits: GroundLimits,
  random: Random,
): Promise<{ groups: ItemSet[]; candidates: Candidate[] }> {
  const codes = codesOf(bins, run.x);
  const all = bins.map((_, k) => k);
  const mined = await itemSets(
    codes,
    bins.length,
    all,
    { ...limits, least: limits.support * run.x.rows },
    run.work,
  );
  const own = binCodes(
    bins,
    rows.map(({ x }) => x),
  );
  const groups = mined.map((set) => among(set, own, bins.length));
  const may = groups.filter((set) => set.items.every(({ k }) => run.vary[k]));
  const pairs = may.flatMap((from) =>
    may
      .filter((goal) => featuresKey(goal) === featuresKey(from))
      .filter((goal) => goal.items.every(({ bin }, t) => bin !== from.items[t]!.bin))
      .map((goal) => ({ from, to: goal.items.map(({ bin }) => bin), gain: 1 })),
  );
  const order = random.sample(pairs.length, Math.min(pairs.length, limits.changes));
  return { groups, candidates: Array.from(order, (t) => pairs[t]!) };
}

/** The same items, with the rows of the group that have them. */
function among(set: ItemSet, codes: Int32Array, d: number): ItemSet {
  const rows = noBits(codes.length / d);
  for (let i = 0; i < codes.length / d; i++) {
    if (set.items.every(({ k, bin }) => codes[i * d + k] === bin)) addBit(rows, i);
  }
  return { items: set.items, rows, count: countBits(rows) };
}

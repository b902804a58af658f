import type { ColaError } from "../../errors.ts";
import { slackOf } from "../../model/slack.ts";
import { fromRows, rowOf, takeRows } from "../../num/matrix.ts";
import type { Matrix } from "../../types.ts";
import { answerAll, isOutOfBudget } from "../ask.ts";
import { type Bins, binCodes, costOf } from "../bins.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";
import { addBit, allBits, countBoth, hasBit, noBits } from "./bits.ts";
import { applyChange, type Change, type Tried } from "./change.ts";
import { featuresKey, type Item, type ItemSet, itemSets, type MiningLimits } from "./item-sets.ts";

/** A change that has not been tried yet. */
export interface Candidate extends Change {
  /** P(target | to) − P(target | from) among the reference rows. */
  readonly gain: number;
}

export interface GroundLimits extends Omit<MiningLimits, "least"> {
  /** Share of the rows that must have all items of a set. */
  readonly support: number;
  /** Changes tried, at most. */
  readonly changes: number;
}

/** Bins of the rows of a matrix. */
export function codesOf(bins: readonly Bins[], rows: Matrix): Int32Array {
  return binCodes(
    bins,
    Array.from({ length: rows.rows }, (_, j) => rowOf(rows, j)),
  );
}

/**
 * Changes worth trying: from a condition frequent among the affected rows to one over the same features, every
 * bin another, that is frequent among the reference rows at the target.
 */
export async function groundSet(
  run: Run,
  bins: readonly Bins[],
  from: readonly ItemSet[],
  limits: GroundLimits,
): Promise<Candidate[]> {
  const references = run.constraints.complete(run.references);
  const { slack } = await slackOf(run.scorer, references, run.reach);
  const there = Int32Array.from(slack, (_, j) => j).filter((j) => run.reach.reached(slack[j]!));
  const least = Math.max(1, limits.support * there.length);
  const features = bins.map((_, k) => k).filter((k) => run.vary[k]);
  const good = codesOf(bins, takeRows(references, there));
  const goals = await itemSets(good, bins.length, features, { ...limits, least }, run.work);
  const share = shareAt(codesOf(bins, references), bins.length, new Set(there));
  const groups = new Map<string, { goal: ItemSet; share: number }[]>();
  for (const goal of goals) {
    const key = featuresKey(goal);
    groups.set(key, [...(groups.get(key) ?? []), { goal, share: share(goal.items) }]);
    if (run.work.due()) await run.work.pause(0, goals.length);
  }
  const found: Candidate[] = [];
  for (const condition of from) {
    const before = share(condition.items);
    for (const { goal, share: after } of groups.get(featuresKey(condition)) ?? []) {
      if (goal.items.some(({ bin }, t) => bin === condition.items[t]!.bin)) continue;
      found.push({ from: condition, to: goal.items.map(({ bin }) => bin), gain: after - before });
    }
    if (run.work.due()) await run.work.pause(0, from.length);
  }
  return found;
}

/** P(target | items) among the rows with these codes. */
function shareAt(
  codes: Int32Array,
  d: number,
  there: ReadonlySet<number>,
): (items: readonly Item[]) => number {
  return (items) => {
    let [all, good] = [0, 0];
    for (let j = 0; j < codes.length / d; j++) {
      if (items.some(({ k, bin }) => codes[j * d + k] !== bin)) continue;
      all++;
      if (there.has(j)) good++;
    }
    return good / Math.max(1, all);
  };
}

/** Changes tried between two looks at which rows are still short of the target. */
const ROUND = 25;
/** What a row counts that some change has taken to the target already. */
const SETTLED = 0.1;

/**
 * Tries up to `most` changes on the affected rows, the most promising first: expected gain times rows, those
 * not yet taken to the target counting most, and one change per condition and round.
 */
export async function tryChanges(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  candidates: readonly Candidate[],
  most: number,
): Promise<{ tried: Tried[]; limit: ColaError | undefined }> {
  const tried: Tried[] = [];
  let open = [...candidates];
  const short = allBits(rows.length);
  try {
    while (open.length > 0 && tried.length < most) {
      const promise = new Map(
        open.map((c) => [
          c,
          c.gain * (SETTLED * c.from.count + (1 - SETTLED) * countBoth(c.from.rows, short)),
        ]),
      );
      open.sort((a, b) => promise.get(b)! - promise.get(a)!);
      const round = onePerCondition(open, Math.min(ROUND, most - tried.length));
      open = open.filter((c) => !round.has(c));
      for (const change of round) {
        tried.push(await tryChange(run, bins, rows, change));
        tried.at(-1)!.reaches.forEach((word, w) => {
          short[w]! &= ~word;
        });
        if (run.work.due()) await run.work.pause(tried.length, Math.min(most, candidates.length));
      }
    }
  } catch (error) {
    if (!isOutOfBudget(error) || tried.length === 0) throw error;
    return { tried, limit: error };
  }
  return { tried, limit: undefined };
}

function onePerCondition(open: readonly Candidate[], count: number): Set<Candidate> {
  const chosen = new Map<ItemSet, Candidate>();
  for (const candidate of open) {
    if (chosen.size === count) break;
    if (!chosen.has(candidate.from)) chosen.set(candidate.from, candidate);
  }
  return new Set(chosen.values());
}

async function tryChange(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  change: Change,
): Promise<Tried> {
  const moved: Float64Array[] = [];
  const owners: number[] = [];
  rows.forEach((row, i) => {
    const z = hasBit(change.from.rows, i) ? applyChange(run, bins, change, row) : undefined;
    if (!z) return;
    moved.push(z);
    owners.push(i);
  });
  const [applies, reaches] = [noBits(rows.length), noBits(rows.length)];
  const cost = new Float64Array(rows.length);
  if (moved.length > 0) {
    const [answer] = await answerAll(run, [{ rows: fromRows(moved) }]);
    owners.forEach((i, t) => {
      addBit(applies, i);
      if (answer!.valid[t]) addBit(reaches, i);
      cost[i] = costOf(run.constraints, bins, rows[i]!.x, moved[t]!);
    });
  }
  return { from: change.from, to: change.to, applies, reaches, cost };
}

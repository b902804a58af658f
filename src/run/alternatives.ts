import type { Match } from "../match/best.ts";
import { takeRows } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import type { Alternative, Others, Run } from "./contract.ts";
import { matchRows, type Proposal } from "./propose.ts";

/** Sets of edits to do without that are tried for a row once those of its plan's single edits gave too few plans. */
const SETS = 8;

/**
 * Up to k other plans of rows of which none are known yet: for each edit of the plan, the fewest edits that do without it; as long as these are
 * fewer than k, also without an edit of each of them, and so on. Plans are sets of features none of which holds
 * another, fewest edits first, then the larger slack. Where every set was tried and the last ones allow no plan, every
 * other plan holds one of those found: a plan that holds none does without one edit of each.
 */
export async function alternatives(
  run: Run,
  { matches }: Proposal,
  { rows }: Refined,
  known: (i: number) => Others | undefined,
): Promise<Others[]> {
  const { alternatives: asked = 0 } = run.input;
  const count = asked === "all" ? Number.POSITIVE_INFINITY : asked;
  const found = rows.map((): Alternative[] => []);
  const open = rows.map(
    ({ status, edits }, i) => count > 0 && status === "ok" && edits.length > 0 && !known(i),
  );
  const none = (i: number): Others => ({ plans: [], ...(open[i] ? { fewer: "not searched" } : {}) });
  if (!matches) return rows.map((_, i) => known(i) ?? none(i));
  const left = new Set<number>();
  let without = rows.map(({ edits }, i) => (open[i] ? edits.map((p) => [p]) : []));
  while (without.some((sets) => sets.length > 0)) {
    const next = (await searchWithout(run, matches, without, found, left)).map(unlike);
    without = next.map((sets, i) => {
      if (distinct(found[i]!).length >= count) return [];
      if (sets.length > SETS) left.add(i);
      return sets.slice(0, SETS);
    });
  }
  return found.map((all, i) => {
    const searched = known(i);
    if (searched) return searched;
    const plans = distinct(all).slice(0, count);
    if (!open[i] || plans.length === count) return { plans };
    return { plans, fewer: left.has(i) ? "none found" : "none exist" };
  });
}

/**
 * Adds the plans that do without each set of edits to those found, and rows for which it is not known whether there are
 * any to `left`; gives the sets that also do without theirs.
 */
async function searchWithout(
  run: Run,
  matches: readonly Match[],
  without: readonly (readonly (readonly number[])[])[],
  found: readonly Alternative[][],
  left: Set<number>,
): Promise<number[][][]> {
  const next = without.map((): number[][] => []);
  const most = Math.max(...without.map((sets) => sets.length));
  for (let t = 0; t < most; t++) {
    const rows = without.flatMap((sets, i) => (sets.length > t ? [i] : []));
    const allowed = new Uint8Array(rows.length * run.players.length).fill(1);
    rows.forEach((i, at) => {
      for (const p of without[i]![t]!) allowed[at * run.players.length + p] = 0;
    });
    const among = rows.map((i) => matches[i]!.candidates);
    const others = await matchRows(run, takeRows(run.x, rows), among, { allowed });
    others.forEach((other, at) => {
      const i = rows[at]!;
      if (other.status !== "ok" && other.proof?.claim !== "none exists") left.add(i);
      if (other.status !== "ok" || other.players.length === 0) return;
      found[i]!.push(other);
      next[i]!.push(...other.players.map((p) => [...without[i]![t]!, p].sort((a, b) => a - b)));
    });
  }
  return next;
}

/** The sets without repetition. */
function unlike(sets: readonly number[][]): number[][] {
  return [...new Map(sets.map((set) => [set.join(), set])).values()];
}

function distinct(plans: readonly Alternative[]): Alternative[] {
  const kept: Alternative[] = [];
  for (const plan of plans.toSorted((a, b) => a.players.length - b.players.length || b.slack - a.slack)) {
    const holds = (other: Alternative): boolean => other.players.every((p) => plan.players.includes(p));
    if (!kept.some(holds)) kept.push(plan);
  }
  return kept;
}

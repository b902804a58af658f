import { forEachSmallSubset } from "../../model/trees/subsets.ts";
import { askModel } from "../ask.ts";
import { type Context, pauseWhenDue } from "../context.ts";
import { isNear, type Weighed } from "../option.ts";
import { CUBE_PLAYERS } from "../search.ts";
import { membersOf } from "../sets.ts";
import { type SetTable, setTables, settle } from "../table.ts";
import type { Aim } from "./aim.ts";

/** Largest sets read from a structure without its cube. */
const SMALL = 3;

/**
 * For every pair of one row the slack of all its sets of at most `maxEdits` members and of the whole set, no
 * farther than the rule's distance; NaN marks sets that may not be used. From the model's inside where it shows
 * one (cells whose effect its rounding leaves open are asked of the model), else from the model.
 */
export async function rowTables(
  context: Context,
  pairs: readonly Weighed[],
  aim: Aim,
  maxEdits: number,
  perRow: number,
): Promise<SetTable[]> {
  const most = Math.min(maxEdits, perRow);
  if (!context.mix.inside) return withWhole(context, pairs, await setTables(context, pairs, most), perRow);
  const tables: SetTable[] = [];
  for (const pair of pairs) {
    await pauseWhenDue(context);
    tables.push(insideTable(context, pair, most));
  }
  const whole = await withWhole(context, pairs, tables, perRow);
  if (aim.jumps) await settle(context, pairs, whole, aim.effect);
  return whole;
}

function insideTable(context: Context, weighed: Weighed, most: number): SetTable {
  const { inside } = context.mix;
  const k = weighed.gaps.length;
  const cubed = k <= CUBE_PLAYERS && Math.min(k, most) > SMALL;
  const { sets, sizes } = cubed ? cubeSets(k) : smallSets(k);
  const exhausted = Math.min(most, k, cubed ? k : SMALL);
  const slack = cubed ? inside!.cube(weighed.pair) : inside!.small(weighed.pair, SMALL);
  for (let t = 1; t < sets.length; t++) {
    if (sizes[t]! > exhausted || !isNear(context.rule, weighed, sets[t]!)) slack[t] = Number.NaN;
  }
  if (context.rule.legal) forbid(context, weighed, sets, slack);
  return { sizes, slack, members: (t) => sets[t]!, exhausted };
}

/** Sets that break a rule between columns may not be used. */
function forbid({ mix, rule }: Context, { pair }: Weighed, sets: Sets["sets"], slack: Float64Array): void {
  const open = sets.flatMap((_, t) => (t > 0 && !Number.isNaN(slack[t]) ? [t] : []));
  const legal = rule.legal!(mix.rows(open.map((t) => ({ pair, members: sets[t]! }))));
  open.forEach((t, at) => {
    if (!legal[at]) slack[t] = Number.NaN;
  });
}

interface Sets {
  readonly sets: readonly (readonly number[])[];
  readonly sizes: Uint16Array;
}

const smallOf = new Map<number, Sets>();
const cubeOf = new Map<number, Sets>();

/** The sets of at most three of k members, where trees/subsets.ts places them; made once for each k. */
function smallSets(k: number): Sets {
  const known = smallOf.get(k);
  if (known) return known;
  const sets: number[][] = [];
  forEachSmallSubset(k, SMALL, (members) => sets.push([...members]));
  const made = { sets, sizes: Uint16Array.from(sets, (members) => members.length) };
  smallOf.set(k, made);
  return made;
}

/** All sets of k members, at their masks; made once for each k. */
function cubeSets(k: number): Sets {
  const known = cubeOf.get(k);
  if (known) return known;
  const sets = Array.from({ length: 2 ** k }, (_, mask) => membersOf(mask));
  const made = { sets, sizes: Uint16Array.from(sets, (members) => members.length) };
  cubeOf.set(k, made);
  return made;
}

/** The whole set besides, where the table stops short of it. */
async function withWhole(
  context: Context,
  pairs: readonly Weighed[],
  tables: readonly SetTable[],
  perRow: number,
): Promise<SetTable[]> {
  const all = pairs.map(({ gaps }) => Array.from(gaps, (_, b) => b));
  const open = pairs.flatMap((weighed, p) => {
    const k = all[p]!.length;
    const held = tables[p]!.sizes.some((size, t) => size === k && !Number.isNaN(tables[p]!.slack[t]));
    return !held && k > tables[p]!.exhausted && k <= perRow && isNear(context.rule, weighed, all[p]!)
      ? [p]
      : [];
  });
  const out = [...tables];
  if (open.length === 0) return out;
  const answer = await askModel(
    context,
    open.map((p) => ({ pair: pairs[p]!.pair, members: all[p]! })),
  );
  open.forEach((p, at) => {
    const { sizes, slack, members, exhausted, error = answer.failures.get(at) } = tables[p]!;
    const last = slack.length;
    out[p] = {
      sizes: Uint16Array.from([...sizes, all[p]!.length]),
      slack: Float64Array.from([...slack, answer.slack[at]!]),
      members: (t) => (t === last ? all[p]! : members(t)),
      exhausted,
      ...(error ? { error } : {}),
    };
  });
  return out;
}

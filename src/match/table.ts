import type { ColaError } from "../errors.ts";
import type { Mixture } from "../search/mixtures.ts";
import { askModel } from "./ask.ts";
import { type Context, pauseWhenDue } from "./context.ts";
import { isNear, type Weighed } from "./option.ts";
import { CUBE_PLAYERS } from "./search.ts";
import { choose, combinations, membersOf } from "./sets.ts";

/** Black-box mixtures gathered before the model is asked. */
const CHUNK = 16_384;
/** Largest sets read from a structure without its cube. */
const SMALL = 3;

/** The slack of many mixtures of one pair, ∅ first; NaN where a mixture is illegal, too far or not scored. */
export interface SetTable {
  readonly sizes: Uint16Array;
  readonly slack: Float64Array;
  members(t: number): readonly number[];
  /** All sets of at most this many members are in the table. */
  readonly exhausted: number;
  /** Why some mixture could not be scored. */
  error?: ColaError;
}

/** Which sets are tabled. */
interface TableOptions {
  /** Largest size of which all sets are looked at. */
  readonly most: number;
  /** Largest whole set that is looked at besides. Default: `most`. */
  readonly whole?: number;
  /** Read three edits at most rather than the whole cube where that is all that is asked for. */
  readonly sparing?: boolean;
}

/**
 * For every pair the slack of all sets of at most `most` members, as far as the effort goes, and of the whole set, no
 * farther than the rule's distance: from the model's inside where it shows one (all 2^k sets of up to 14 players, else
 * those of three), else from the model itself, in large batches over all pairs.
 */
export async function setTables(
  context: Context,
  pairs: readonly Weighed[],
  { most, whole = most, sparing = false }: TableOptions,
): Promise<SetTable[]> {
  if (!context.mix.inside) return withWhole(context, pairs, await askedTables(context, pairs, most), whole);
  const tables: SetTable[] = [];
  for (const weighed of pairs) {
    await pauseWhenDue(context);
    const k = weighed.gaps.length;
    const cubed = k <= CUBE_PLAYERS && !(sparing && Math.min(k, most) <= SMALL);
    tables.push(insideTable(context, weighed, most, cubed));
  }
  return withWhole(context, pairs, tables, whole);
}

/** The tables of a model that shows nothing of its inside. */
async function askedTables(context: Context, pairs: readonly Weighed[], most: number): Promise<SetTable[]> {
  const tables: SetTable[] = [];
  let waiting: Waiting[] = [];
  for (const weighed of pairs) {
    await pauseWhenDue(context);
    const table = emptyTable(context, weighed, most);
    tables.push(table);
    for (let at = 0; at < table.slack.length; at++) {
      const members = table.members(at);
      if (!isNear(context.rule, weighed, members)) continue;
      waiting.push({ table, at, pair: weighed.pair, members });
      if (waiting.length === CHUNK) waiting = await asked(context, waiting);
    }
  }
  await asked(context, waiting);
  return tables;
}

/** Asks the model where the rounding of its structure leaves the `value` of a slack open. */
export async function settle(
  context: Context,
  pairs: readonly Weighed[],
  tables: readonly SetTable[],
  value: (slack: number) => number,
): Promise<void> {
  const unsure = tables.flatMap((table, p) => {
    const { pair } = pairs[p]!;
    const allowance = context.mix.inside?.allowance(pair) ?? (() => 0);
    return Array.from(table.slack, (s, at): Waiting | undefined =>
      value(s - allowance(s)) < value(s + allowance(s))
        ? { table, at, pair, members: table.members(at) }
        : undefined,
    ).filter((one) => one !== undefined);
  });
  if (unsure.length > 0) await asked(context, unsure);
}

/** A mixture and its place in a table. */
interface Waiting extends Mixture {
  readonly table: SetTable;
  readonly at: number;
}

/** Asks the model and fills in what it says; nothing is left waiting. */
async function asked(context: Context, waiting: readonly Waiting[]): Promise<Waiting[]> {
  const { slack, failures } = await askModel(context, waiting);
  waiting.forEach(({ table, at }, t) => {
    table.slack[at] = slack[t]!;
    const error = failures.get(t);
    if (error) table.error ??= error;
  });
  return [];
}

function emptyTable({ rule }: Context, weighed: Weighed, most: number): SetTable {
  const k = weighed.gaps.length;
  const sets: number[][] = [[]];
  let exhausted = 0;
  while (exhausted < Math.min(k, most) && sets.length + choose(k, exhausted + 1) <= rule.effort) {
    exhausted++;
    for (const members of combinations(k, exhausted)) sets.push(members);
  }
  return {
    sizes: Uint16Array.from(sets, (members) => members.length),
    slack: new Float64Array(sets.length).fill(Number.NaN),
    members: (t) => sets[t]!,
    exhausted,
  };
}

function insideTable(context: Context, weighed: Weighed, most: number, cubed: boolean): SetTable {
  const { inside } = context.mix;
  const k = weighed.gaps.length;
  const { sets, sizes } = setsOf(k, cubed);
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

const setsKnown = new Map<string, Sets>();

/** The sets of k members, made once for each k: all, at their masks, or those of three, as trees/subsets.ts says. */
function setsOf(k: number, cubed: boolean): Sets {
  const key = `${k} ${cubed}`;
  const known = setsKnown.get(key);
  if (known) return known;
  const sets: number[][] = [];
  if (cubed) for (let mask = 0; mask < 2 ** k; mask++) sets.push(membersOf(mask));
  else for (let size = 0; size <= SMALL; size++) sets.push(...combinations(k, size));
  const made = { sets, sizes: Uint16Array.from(sets, (members) => members.length) };
  setsKnown.set(key, made);
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

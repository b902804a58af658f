import type { ColaError } from "../errors.ts";
import type { Mixture } from "../search/mixtures.ts";
import { askModel } from "./ask.ts";
import { type Context, pauseWhenDue } from "./context.ts";
import { isNear, type Weighed } from "./option.ts";
import { CUBE_PLAYERS } from "./search.ts";
import { choose, combinations, membersOf, sizeOf } from "./sets.ts";

/** Black-box mixtures gathered before the model is asked. */
const CHUNK = 16_384;

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

/**
 * For every pair the slack of all sets of at most `maxSize` members, as far as the effort goes (then the
 * whole set besides): from the cube where the model shows its inside, else from the model itself, in large
 * batches over all pairs.
 */
export async function setTables(
  context: Context,
  pairs: readonly Weighed[],
  maxSize: number,
): Promise<SetTable[]> {
  const { mix } = context;
  const tables: SetTable[] = [];
  let waiting: Waiting[] = [];
  for (const weighed of pairs) {
    await pauseWhenDue(context);
    if (mix.inside && weighed.gaps.length <= CUBE_PLAYERS) {
      tables.push(cubeTable(context, weighed, maxSize));
      continue;
    }
    const table = mix.inside ? smallTable(context, weighed, maxSize) : emptyTable(context, weighed, maxSize);
    tables.push(table);
    for (let at = 0; at < table.slack.length; at++) {
      const members = table.members(at);
      if (!Number.isNaN(table.slack[at]) || !isNear(context.rule, weighed, members)) continue;
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

function cubeTable(context: Context, weighed: Weighed, maxSize: number): SetTable {
  const { mix, rule } = context;
  const slack = mix.inside!.cube(weighed.pair);
  const sizes = Uint16Array.from(slack, (_, mask) => sizeOf(mask));
  const bounded = rule.maxDistance < Number.POSITIVE_INFINITY;
  const legal = rule.legal?.(
    mix.rows(Array.from(slack, (_, mask) => ({ pair: weighed.pair, members: membersOf(mask) }))),
  );
  for (let mask = 1; mask < slack.length; mask++) {
    const wrong =
      sizes[mask]! > maxSize ||
      (legal && !legal[mask]) ||
      (bounded && !isNear(rule, weighed, membersOf(mask)));
    if (wrong) slack[mask] = Number.NaN;
  }
  return { sizes, slack, members: membersOf, exhausted: Math.min(maxSize, weighed.gaps.length) };
}

/** Sets of at most three members from the inside; only the whole set is left for the model. */
function smallTable(context: Context, weighed: Weighed, maxSize: number): SetTable {
  const table = emptyTable(context, weighed, maxSize, 3);
  if (!context.rule.legal && context.rule.maxDistance === Number.POSITIVE_INFINITY) {
    table.slack.set(context.mix.inside!.small(weighed.pair, table.exhausted));
  }
  return table;
}

function emptyTable({ rule }: Context, weighed: Weighed, maxSize: number, deepest = maxSize): SetTable {
  const k = weighed.gaps.length;
  const limit = Math.min(k, maxSize);
  const sets: number[][] = [[]];
  let exhausted = 0;
  while (exhausted < Math.min(limit, deepest) && sets.length + choose(k, exhausted + 1) <= rule.effort) {
    exhausted++;
    for (const members of combinations(k, exhausted)) sets.push(members);
  }
  if (exhausted < limit && limit === k) sets.push(Array.from({ length: k }, (_, b) => b));
  return {
    sizes: Uint16Array.from(sets, (members) => members.length),
    slack: new Float64Array(sets.length).fill(Number.NaN),
    members: (t) => sets[t]!,
    exhausted,
  };
}

import type { SetVisitor } from "../model/branch.ts";
import type { Mixture } from "../search/mixtures.ts";
import { askModel } from "./ask.ts";
import { type Context, pauseWhenDue } from "./context.ts";
import { type Option, optionOf, rounded, tied, within } from "./option.ts";
import { CUBE_PLAYERS, type Search } from "./search.ts";
import { choose, combinations, membersOf, sizeOf } from "./sets.ts";

/** Sets of at most three members that are tabled at once. */
const SMALL_SETS = 2_000_000;
/** Black-box mixtures gathered before the model is asked. */
const CHUNK = 16_384;
/** Plans whose plausibility is asked for. */
const PLAUSIBLE = 1024;

/**
 * Exhausts the sets of one size for a model that shows its inside and takes the best that holds. False when
 * the nodes of a branch and bound ran out. Sets that are not rivals of a lead are passed over; where the lead
 * then does not hold (the model fails on it), they are looked at after all.
 */
export async function insideLevel(search: Search, size: number): Promise<boolean> {
  const first = await optionsOf(search, size, search.context.rule.uniform);
  if ((await takeFirstThatHolds(search, size, first.options)) || !first.lead) return first.complete;
  const all = await optionsOf(search, size, false);
  await takeFirstThatHolds(search, size, all.options);
  return all.complete;
}

interface Level {
  /** The sets that may reach the target by what the structure says; not all need be legal. */
  readonly options: Option[];
  /** All sets were seen or ruled out, or are not rivals of the lead. */
  complete: boolean;
  /** The preferred option that is sure and legal: only a plan may stand in the way of others. */
  lead: Option | undefined;
  /** May options be passed over for a lead? */
  readonly leading: boolean;
}

async function optionsOf(search: Search, size: number, leading: boolean): Promise<Level> {
  const { mix } = search.context;
  const trees = mix.inside!.structures[0]!.kind === "trees";
  const level: Level = { options: [], complete: true, lead: undefined, leading };
  for (let p = 0; p < search.task.pairs.length; p++) {
    const k = search.task.pairs[p]!.gaps.length;
    if (size > k) continue;
    if (trees && size <= 3 && choose(k, size) <= SMALL_SETS) smallOptions(search, p, size, level.options);
    else if (trees && k <= CUBE_PLAYERS) cubeOptions(search, p, size, level.options);
    else level.complete = (await branchOptions(search, p, size, level)) && level.complete;
    await pauseWhenDue(search.context);
  }
  return level;
}

function smallOptions(search: Search, p: number, size: number, options: Option[]): void {
  const { pair, gaps } = search.task.pairs[p]!;
  const edge = search.edge(p);
  const slacks = search.context.mix.inside!.small(pair, size);
  let place = slacks.length - choose(gaps.length, size);
  for (const members of combinations(gaps.length, size)) {
    const slack = slacks[place++]!;
    if (edge.mayReach(slack)) consider(search, p, members, slack, options);
  }
}

function cubeOptions(search: Search, p: number, size: number, options: Option[]): void {
  const edge = search.edge(p);
  search.cube(p).forEach((slack, mask) => {
    if (edge.mayReach(slack) && sizeOf(mask) === size) consider(search, p, membersOf(mask), slack, options);
  });
}

function consider(search: Search, p: number, members: readonly number[], slack: number, to: Option[]): void {
  const option = optionOf(search.task.pairs[p]!, p, members, slack);
  if (search.admits(option)) to.push(option);
}

function isLegal({ context: { rule, mix }, task }: Search, option: Option): boolean {
  const { pair } = task.pairs[option.pair]!;
  return !rule.legal || Boolean(rule.legal(mix.rows([{ pair, members: option.members }]))[0]);
}

function leadOf(search: Search, options: readonly Option[]): Option | undefined {
  const sure = options
    .filter((option) => search.edge(option.pair).isReached(option.slack))
    .sort(search.compare);
  return sure.find((option) => isLegal(search, option));
}

async function branchOptions(search: Search, p: number, size: number, level: Level): Promise<boolean> {
  const { rule } = search.context;
  const { options, leading } = level;
  const weighed = search.task.pairs[p]!;
  const edge = search.edge(p);
  if (leading) level.lead = leadOf(search, options);
  const rivals = (slack: number, distance: number): boolean => {
    const { lead } = level;
    if (!lead) return true;
    if (rule.prefer === "plausible") return options.length < PLAUSIBLE;
    const capped = rule.prefer === "margin" && within(lead.distance, search.task.cap);
    if (!capped) return rounded(distance) <= rounded(lead.distance);
    return slack >= lead.slack - edge.blur && within(distance, search.task.cap);
  };
  const visitor: SetVisitor = {
    nodes: search.nodes,
    worth: (slack, distance, cost) =>
      edge.mayReach(slack) &&
      within(distance, rule.maxDistance) &&
      (!search.best || rounded(cost) <= rounded(search.best.cost)) &&
      rivals(slack, distance),
    offer(members, slack) {
      const option = optionOf(weighed, p, members, slack);
      if (!isLegal(search, option)) return;
      options.push(option);
      if (!leading || !edge.isReached(slack)) return;
      if (!level.lead || search.compare(option, level.lead) < 0) level.lead = option;
    },
  };
  const complete = await search.brancher(p).visit(size, visitor);
  search.nodes = visitor.nodes;
  return complete;
}

/** In order of preference, asks the real model until a plan is legal and reaches the target; false if none is. */
async function takeFirstThatHolds(search: Search, size: number, options: Option[]): Promise<boolean> {
  const ranked = await rank(search, options);
  for (let from = 0, step = 4; from < ranked.length; from += step, step = Math.min(1024, 2 * step)) {
    const some = ranked.slice(from, from + step);
    const answer = await askModel(search.context, mixturesOf(search, some));
    for (const error of answer.failures.values()) search.fail(size, error);
    const first = some.findIndex((_, t) => answer.holds(t));
    if (first < 0) continue;
    search.take({ ...some[first]!, slack: answer.slack[first]! });
    return true;
  }
  return false;
}

/** Exhausts the sets of one size for a black box: the mixtures of all searches in large batches. */
export async function boxLevel(context: Context, searches: readonly Search[], size: number): Promise<void> {
  const reached = new Map<Search, Option[]>(searches.map((search) => [search, []]));
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    const answer = await askModel(
      context,
      asked.flatMap(({ search, option }) => mixturesOf(search, [option])),
    );
    asked.forEach(({ search, option }, t) => {
      search.effort--;
      const error = answer.failures.get(t);
      if (error) search.fail(size, error);
      if (answer.holds(t)) reached.get(search)!.push({ ...option, slack: answer.slack[t]! });
    });
  };
  for (const search of searches) {
    for (let p = 0; p < search.task.pairs.length; p++) {
      const weighed = search.task.pairs[p]!;
      for (const members of combinations(weighed.gaps.length, size)) {
        const option = optionOf(weighed, p, members, Number.NaN);
        if (search.admits(option)) waiting.push({ search, option });
        if (waiting.length === CHUNK) await flush();
      }
    }
  }
  if (waiting.length > 0) await flush();
  for (const [search, options] of reached) {
    const [first] = await rank(search, options);
    if (first) search.take(first);
  }
}

interface Waiting {
  readonly search: Search;
  readonly option: Option;
}

/** Options in order of preference; for `plausible` the plausibility of the cheapest decides. */
async function rank(search: Search, options: Option[]): Promise<Option[]> {
  const { rule, mix } = search.context;
  const sorted = options.sort(search.compare);
  if (rule.prefer !== "plausible" || !rule.plausibility || sorted.length === 0) return sorted;
  const cheapest = sorted.filter((o) => rounded(o.cost) === rounded(sorted[0]!.cost)).slice(0, PLAUSIBLE);
  const value = await rule.plausibility(mix.rows(mixturesOf(search, cheapest)));
  const order = cheapest.map((_, t) => t).sort((a, b) => tied(value[b]!) - tied(value[a]!) || a - b);
  return [...order.map((t) => cheapest[t]!), ...sorted.slice(cheapest.length)];
}

export function mixturesOf(search: Search, options: readonly Option[]): Mixture[] {
  return options.map((o) => ({ pair: search.task.pairs[o.pair]!.pair, members: o.members }));
}

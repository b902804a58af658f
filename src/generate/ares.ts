import type { ColaError } from "../errors.ts";
import type { Random } from "../num/random.ts";
import { number, type Rule as OptionRule, oneOf, whole } from "../train/options.ts";
import { authorsGroundSet } from "./ares/authors.ts";
import { hasBit } from "./ares/bits.ts";
import { applyChange, type Change } from "./ares/change.ts";
import { type GroundLimits, groundSet, tryChanges } from "./ares/ground-set.ts";
import { type ItemSet, itemSets } from "./ares/item-sets.ts";
import { localSearch } from "./ares/local-search.ts";
import { meritOf, type Rule, ruleOf, standingOf } from "./ares/objective.ts";
import { ruleReport } from "./ares/text.ts";
import { type Bins, binCodes, binsOf } from "./bins.ts";
import type { Generated, Task } from "./contract.ts";
import { coverageOf } from "./coverage.ts";
import { Distinct } from "./distinct.ts";
import { affectedOnly, type GroupPlan, searchGroup, settled, turnedRound } from "./group.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import type { Row } from "./search.ts";

export interface AresOptions extends SearchOptions {
  /** `authors`: their direction (rows at the target are moved away), their ground set, the first rule for all. */
  readonly preset?: "ours" | "authors";
  /** Bins of a number. Default 10. */
  readonly bins?: number;
  /** Share of the rows that must meet a condition. Default 0.05, authors 0.2. */
  readonly support?: number;
  /** Rules, conditions of one rule, and different groups, at most. Default 20, 7, 10. */
  readonly rules?: number;
  readonly width?: number;
  readonly groups?: number;
  /** May a rule speak of everyone? Default true; false asks every rule for a group, as in the paper. */
  readonly everyone?: boolean;
  /** Conditions mined, changes tried on the model, rules kept for the search, at most. Default 2000, 200, 200. */
  readonly itemSets?: number;
  readonly changes?: number;
  readonly kept?: number;
  /** Weights of the objective, two or four (see ares/objective). Default [1, 0]. */
  readonly lambda?: readonly number[];
}

const weights: OptionRule<readonly number[]> = {
  fallback: [1, 0],
  says: "two or four numbers ≥ 0",
  accepts: (v) =>
    Array.isArray(v) && [2, 4].includes(v.length) && v.every((w) => Number.isFinite(w) && w >= 0),
};
const share: OptionRule<number | undefined> = { ...number(0.05, 0, 1), fallback: undefined };
const RULES = {
  ...SEARCH_RULES,
  preset: oneOf<"ours" | "authors">("ours", "authors"),
  bins: whole(10, 2, 1000),
  support: share,
  rules: whole(20, 1, 1000),
  width: whole(7, 2, 100),
  groups: whole(10, 1, 1000),
  everyone: oneOf<boolean>(true, false),
  itemSets: whole(2000, 1, 100_000),
  changes: whole(200, 1, 100_000),
  kept: whole(200, 1, 100_000),
  lambda: weights,
};
type Settings = ReturnType<typeof settingsOf>;

function settingsOf(options: AresOptions) {
  const given = generatorOptions("ares", options, RULES);
  const authors = given.preset === "authors";
  return { ...given, support: given.support ?? (authors ? 0.2 : 0.05), everyone: given.everyone && !authors };
}

/**
 * AReS (Rawal and Lakkaraju 2020): a small set of two-level rules, "for this group, where these conditions
 * hold, go there", that takes as many of the affected rows to the target as it can. Frequent conditions make
 * the ground set, the model is asked what each change does, local search picks the rules, and every row gets
 * the cheapest rule that takes it to the target. The rules are reported in words.
 */
export async function ares(task: Task, options: AresOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("ares", task, settings, options);
  if (settings.preset === "ours")
    return searchGroup(run, random, (rows) => plan(run, rows, settings, random));
  const turned = turnedRound(run);
  return affectedOnly(await searchGroup(turned, random, (rows) => plan(turned, rows, settings, random)));
}

async function plan(run: Run, rows: readonly Row[], settings: Settings, random: Random): Promise<GroupPlan> {
  const authors = settings.preset === "authors";
  const bins = binsOf(run.constraints, authors ? run.x : run.references, settings.bins);
  const { ground, tried, limit } = await groundRules(run, rows, bins, settings, random);
  const rules = await localSearch(rows.length, ground, settings, run.work);
  const place = new Map(rows.map((row, i) => [row, i]));
  return {
    limit,
    search: (row) => {
      const made = authors
        ? [firstRule(run, bins, rules, row, place.get(row)!)]
        : ofRules(run, bins, rules, row, place.get(row)!).slice(0, settings.count);
      return settled(made, limit?.message ?? whyNone(rules, place.get(row)!));
    },
    details: (generated) => ({
      rules: rules.map((rule) => ruleReport(run.constraints.schema, bins, rule)),
      changesTried: tried,
      groundSet: ground.length,
      ...(authors ? reachedByFirst(rules, rows.length) : coverageOf(run, bins, generated)),
    }),
  };
}

/** Rules that take some row to the target, the best by themselves first. */
async function groundRules(
  run: Run,
  rows: readonly Row[],
  bins: readonly Bins[],
  settings: Settings,
  random: Random,
): Promise<{ ground: Rule[]; tried: number; limit: ColaError | undefined }> {
  const limits: GroundLimits = {
    support: settings.support,
    longest: settings.width - 1,
    most: settings.itemSets,
    changes: settings.changes,
  };
  const { groups, candidates } =
    settings.preset === "authors"
      ? await authorsGroundSet(run, bins, rows, limits, random.split("ares", "ground set"))
      : await ownGroundSet(run, bins, rows, limits);
  const { tried, limit } = await tryChanges(run, bins, rows, candidates, settings.changes);
  // Two weights never gain by leaving rows out, so that a rule for everyone is at least as good as any other.
  const whom = settings.everyone
    ? settings.lambda.length === 2
      ? [undefined]
      : [undefined, ...groups]
    : groups;
  const found: { rule: Rule; value: readonly [number, number] }[] = [];
  for (const change of tried) {
    for (const group of whom) {
      if (group && !fits(group, change.from, settings.width)) continue;
      const rule = ruleOf(group, change);
      if (!rule.reaches.some((word) => word !== 0)) continue;
      found.push({ rule, value: meritOf(settings, standingOf(rows.length, [rule])) });
    }
    if (run.work.due() && !limit) await run.work.pause(0, tried.length);
  }
  found.sort((a, b) => b.value[0] - a.value[0] || b.value[1] - a.value[1]);
  return { ground: found.slice(0, settings.kept).map(({ rule }) => rule), tried: tried.length, limit };
}

async function ownGroundSet(run: Run, bins: readonly Bins[], rows: readonly Row[], limits: GroundLimits) {
  const codes = binCodes(
    bins,
    rows.map(({ x }) => x),
  );
  const mining = { ...limits, least: Math.max(1, limits.support * rows.length) };
  const all = bins.map((_, k) => k);
  const groups = await itemSets(codes, bins.length, all, mining, run.work);
  const may = all.filter((k) => run.vary[k]);
  const from = await itemSets(codes, bins.length, may, mining, run.work);
  return { groups, candidates: await groundSet(run, bins, from, limits) };
}

/** Group and condition speak of different features, and not of too many. */
function fits(group: ItemSet, from: ItemSet, width: number): boolean {
  const features = new Set([...group.items, ...from.items].map(({ k }) => k));
  const count = group.items.length + from.items.length;
  return features.size === count && count <= width;
}

/** The rows the rules make of row i, cheapest first. */
function ofRules(
  run: Run,
  bins: readonly Bins[],
  rules: readonly Rule[],
  row: Row,
  i: number,
): Float64Array[] {
  const mine = rules.filter((rule) => hasBit(rule.reaches, i));
  const cheapest = mine.toSorted((a, b) => a.change.cost[i]! - b.change.cost[i]!);
  const seen = new Distinct();
  return cheapest.map(({ change }) => moved(run, bins, change, row)).filter((z) => seen.add(z));
}

function firstRule(
  run: Run,
  bins: readonly Bins[],
  [first]: readonly Rule[],
  row: Row,
  i: number,
): Float64Array {
  return first && hasBit(first.applies, i) ? moved(run, bins, first.change, row) : row.x;
}

/** The row after a change that applies to it, derived columns recomputed: the row the model was asked about. */
function moved(run: Run, bins: readonly Bins[], change: Change, row: Row): Float64Array {
  const data = applyChange(run, bins, change, row)!;
  return run.constraints.complete({ data, rows: 1, cols: data.length }).data;
}

function whyNone(rules: readonly Rule[], i: number): string {
  if (rules.length === 0) return "no rule takes any row to the target";
  const applies = rules.filter((rule) => hasBit(rule.applies, i)).length;
  if (applies === 0) return `none of the ${rules.length} rules covers it`;
  return `the rules that cover it (${applies} of ${rules.length}) do not take it to the target`;
}

function reachedByFirst([first]: readonly Rule[], affected: number): object {
  let reached = 0;
  for (let i = 0; i < affected; i++) if (first && hasBit(first.reaches, i)) reached++;
  return { affected, coverage: affected > 0 ? reached / affected : 0 };
}

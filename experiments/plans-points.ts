import { stream } from "../src/num/random.ts";
import { mean, median } from "../src/num/stats.ts";
import { EXACT, REFERENCE, STURDY_ALL, STURDY_WITHIN } from "./planners.ts";
import { AXES, type PlanPoint, type PlansOf, type PlansResult } from "./plans.ts";
import { type Scenario, scenarioOf } from "./settings.ts";
import { bootstrap } from "./statistics.ts";

/** Every data set with two kinds of trees, a linear model and a network. */
export const PLANS = ["heloc", "german", "hotel", "compas"].flatMap((data) =>
  ["xgboost", "forest", "logistic", "mlp"].map((model) => `${data}-${model}-knn`),
);

/** What `plans` found, as it is written to its results file. */
export interface PlansFile {
  readonly rows: number;
  readonly also: number;
  readonly judges: number;
  readonly why: readonly string[];
  readonly results: readonly PlansResult[];
}

export type Axis = (typeof AXES)[number];
export const at = (axis: Axis): number => AXES.indexOf(axis);
/** Models whose bounds are exact, so that plans are proven. */
const PROVEN: readonly Scenario["model"][] = ["xgboost", "forest", "logistic"];
/** A change counts as less beyond this share of it: proposed numbers have the decimals of their column. */
const ALIKE = 1e-3;
export const FIRST_LEVEL = 0.5;

export const fixed = (value: number, digits = 3): string =>
  Number.isFinite(value) ? value.toFixed(digits) : "–";
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const score = (level: number): string => (level === FIRST_LEVEL ? "> 0.5" : `≥ ${level}`);

/** Data set × model: the units that intervals are over. */
export const clustersOf = (results: readonly PlansResult[]): PlansResult[] =>
  results.filter(({ retraining }) => retraining === "bootstrap");
export const isProven = ({ scenario }: PlansResult): boolean => PROVEN.includes(scenarioOf(scenario).model);
export const onTrees = (results: readonly PlansResult[]): PlansResult[] =>
  results.filter(({ found }) => found.some(({ method }) => method === STURDY_ALL));

export const of = ({ found }: PlansResult, method: string, level: number): PlansOf =>
  found.find((one) => one.method === method && one.level === level)!;
export const methodsOf = ({ found }: PlansResult): string[] => [
  ...new Set(found.map(({ method }) => method)),
];

/** Rows that every method serves: what is compared is compared over the same people. */
function servedByAll(result: PlansResult): number[] {
  const firsts = methodsOf(result).map((method) => of(result, method, FIRST_LEVEL).plans);
  return Array.from({ length: result.n }, (_, i) => i).filter((i) => firsts.every((plans) => plans[i]));
}

/** Means of a cluster over the axes (of LOF, which bursts among stacked copies, the median); NaN where no row is served by all. */
export function pointOf(result: PlansResult, method: string, level: number): number[] {
  const { plans } = of(result, method, level);
  const points = servedByAll(result).map((i) => plans[i]!);
  return AXES.map((axis, k) => {
    const values = points.map((point) => point[k]!);
    return axis === "LOF" ? median(values) : mean(values);
  });
}

/** The mean over clusters. */
export function meanPoint(clusters: readonly PlansResult[], method: string, level: number): number[] {
  const points = clusters
    .map((result) => pointOf(result, method, level))
    .filter(([edits]) => Number.isFinite(edits));
  return AXES.map((_, k) => mean(points.map((point) => point[k]!)));
}

interface Rival {
  readonly method: string;
  /** Rows both serve, those in which it has fewer edits, and as many and less change. */
  readonly rows: number;
  readonly fewer: number;
  readonly less: number;
  /** Rows in which the exact plan has fewer edits, and as many and less change. */
  readonly more: number;
  readonly farther: number;
}

/** Every method against the exact plans, row by row. */
export function rivalsOf(results: readonly PlansResult[]): Rival[] {
  const names = [...new Set(results.flatMap(methodsOf))].filter((name) => name !== EXACT);
  return names.map((method) => {
    const pairs = results
      .filter((result) => methodsOf(result).includes(method))
      .flatMap((result) => {
        const [ours, theirs] = [EXACT, method].map((name) => of(result, name, FIRST_LEVEL).plans);
        return ours!.flatMap((own, i) => (own && theirs![i] ? [[own, theirs![i]!] as const] : []));
      });
    const count = (test: (a: PlanPoint, b: PlanPoint) => boolean): number =>
      pairs.filter(([a, b]) => test(a, b)).length;
    const less = (a: PlanPoint, b: PlanPoint): boolean => a[0] === b[0] && a[1] < (1 - ALIKE) * b[1];
    return {
      method,
      rows: pairs.length,
      fewer: count((a, b) => b[0] < a[0]),
      less: count((a, b) => less(b, a)),
      more: count((a, b) => a[0] < b[0]),
      farther: count(less),
    };
  });
}

/** The change of the exact plans and of those from reference values, over the rows both serve. */
export function changes(results: readonly PlansResult[]): readonly [number, number] {
  const pairs = results.flatMap((result) => {
    const [ours, theirs] = [EXACT, REFERENCE].map((name) => of(result, name, FIRST_LEVEL).plans);
    return ours!.flatMap((own, i) => (own && theirs![i] ? [[own[1], theirs![i]![1]] as const] : []));
  });
  return [0, 1].map((k) => pairs.reduce((sum, pair) => sum + pair[k]!, 0)) as unknown as [number, number];
}

export const total = (results: readonly PlansResult[], count: (result: PlansResult) => number): number =>
  results.reduce((sum, result) => sum + count(result), 0);
export const moves = (results: readonly PlansResult[], method: string): readonly [number, number] => [
  total(results, (result) => result.moves.find((m) => m.method === method)!.half),
  total(results, (result) => result.moves.find((m) => m.method === method)!.numbers),
];

interface Paired {
  readonly level: number;
  /** [edits, change, survival] of the plans from reference values and of the sturdy ones. */
  readonly reference: readonly number[];
  readonly sturdy: readonly number[];
  readonly gain: number;
  readonly low: number;
  readonly high: number;
}

/** Sturdy plans of no more edits beside plans from reference values at every score, in the mean over clusters. */
export function pairedOf(clusters: readonly PlansResult[]): Paired[] {
  const trees = onTrees(clusters);
  if (trees.length === 0) return [];
  const axes = (["edits", "change", "survival"] as const).map(at);
  return trees[0]!.levels.map((level) => {
    const points = trees.map((result) =>
      [REFERENCE, STURDY_WITHIN].map((name) => pointOf(result, name, level)),
    );
    const gains = points.map(([a, b]) => b![at("survival")]! - a![at("survival")]!);
    const [low, high] = bootstrap(gains, mean, stream(0, "sturdy", level));
    const means = [0, 1].map((t) => axes.map((k) => mean(points.map((point) => point[t]![k]!))));
    return { level, reference: means[0]!, sturdy: means[1]!, gain: mean(gains), low, high };
  });
}

interface Swept {
  readonly method: string;
  readonly level: number;
  readonly point: readonly number[];
  readonly interval: readonly [number, number];
}

/** The points of all methods at all scores, in the mean over clusters. */
export function sweptOf(clusters: readonly PlansResult[]): Swept[] {
  const names = methodsOf(clusters[0]!).filter((name) => clusters.every((c) => methodsOf(c).includes(name)));
  return names.flatMap((method) =>
    clusters[0]!.levels
      .filter((level) => method !== STURDY_ALL || level === FIRST_LEVEL)
      .map((level) => {
        const each = clusters.map((result) => pointOf(result, method, level)[at("survival")]!);
        const known = each.filter(Number.isFinite);
        return {
          method,
          level,
          point: meanPoint(clusters, method, level),
          interval: bootstrap(known, mean, stream(0, "survival", method, level)),
        };
      }),
  );
}

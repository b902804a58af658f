import type { Cell } from "../src/types.ts";
import { EXACT, REFERENCE } from "./planners.ts";
import { AXES, type PlansResult } from "./plans.ts";
import {
  type Axis,
  at,
  changes,
  clustersOf,
  FIRST_LEVEL,
  fixed,
  isProven,
  methodsOf,
  of,
  onTrees,
  pairedOf,
  percent,
  pointOf,
  rivalsOf,
  score,
  sweptOf,
} from "./plans-points.ts";
import type { Sheet } from "./present.ts";
import { DATA, scenarioOf } from "./settings.ts";

/** Axes on which less is better. */
const LESS: readonly Axis[] = ["edits", "change", "LOF"];

const titleOf = ({ scenario }: PlansResult): string => {
  const { data, model } = scenarioOf(scenario);
  return `${DATA[data].title}, ${model}`;
};

/** Every table. */
export function plansSheets(results: readonly PlansResult[]): Sheet[] {
  const clusters = clustersOf(results);
  if (clusters.length === 0) return [];
  const trees = onTrees(clusters);
  const later = results.filter(({ retraining }) => retraining === "later");
  return [
    againstSheet(clusters),
    clusterSheet(clusters),
    ...(trees.length > 0 ? [pairedSheet(clusters), sweepSheet("sturdy", TREES_TITLE, trees)] : []),
    sweepSheet("sweep", "Every method at every score, all models", clusters),
    ...(later.length > 0 ? [sweepSheet("later", LATER_TITLE, later)] : []),
  ];
}

const TREES_TITLE = "Every method at every score, trees, with sturdy plans";
const LATER_TITLE = "Hotel Bookings, trees: survival in models of later months";

/** Each method beside the exact plans where nothing but the class is asked. */
function againstSheet(clusters: readonly PlansResult[]): Sheet {
  const lines = rivalsOf(clusters.filter(isProven));
  const everywhere = methodsOf(clusters[0]!).filter((name) =>
    clusters.every((c) => methodsOf(c).includes(name)),
  );
  return {
    name: "plans",
    title: "Default plans beside those of other methods, rows of trees and linear models",
    columns: [
      ...["method", "rows both serve", "exact: fewer edits", "exact: as few, less change"],
      ...["other: fewer edits", "other: as few, less change"],
    ],
    rows: lines
      .filter(({ method }) => everywhere.includes(method) || method.startsWith("sturdy"))
      .map((r) => [r.method, r.rows, r.more, r.farther, r.fewer, r.less]),
  };
}

function clusterSheet(clusters: readonly PlansResult[]): Sheet {
  return {
    name: "plans-clusters",
    title: "Default plans and plans from reference values, by data set and model",
    columns: [
      ...["data set, model", "rows", "with a plan", "proven", "edits", "edits, reference"],
      ...["MADs", "MADs, reference", "less change by"],
      ...["survival", "survival, reference", "survival, no plan"],
    ],
    rows: clusters.map((result): Cell[] => {
      const own = of(result, EXACT, FIRST_LEVEL);
      const [a, b] = [EXACT, REFERENCE].map((name) => pointOf(result, name, FIRST_LEVEL));
      const [now, then] = changes([result]);
      const k = at("survival");
      return [
        titleOf(result),
        result.n,
        own.plans.filter(Boolean).length,
        own.proven!,
        ...[a![0]!, b![0]!, a![1]!, b![1]!].map((v) => fixed(v, 2)),
        percent(1 - now / then),
        ...[a![k]!, b![k]!, result.unplanned].map((v) => fixed(v)),
      ];
    }),
  };
}

function pairedSheet(clusters: readonly PlansResult[]): Sheet {
  return {
    name: "sturdy-paired",
    title: "Trees: plans from reference values, and sturdy plans of no more edits",
    columns: [
      ...["score asked", "edits", "edits, sturdy", "MADs", "MADs, sturdy"],
      ...["survival", "survival, sturdy", "difference", "95 % interval over clusters"],
    ],
    rows: pairedOf(clusters).map(({ level, reference, sturdy, gain, low, high }) => [
      score(level),
      ...[0, 1].flatMap((k) => [fixed(reference[k]!, 2), fixed(sturdy[k]!, 2)]),
      fixed(reference[2]!),
      fixed(sturdy[2]!),
      fixed(gain),
      `${fixed(low)} … ${fixed(high)}`,
    ]),
  };
}

/** Is a no worse than b on every axis, and better on one? */
function dominates(a: readonly number[], b: readonly number[]): boolean {
  const gains = AXES.map((axis, k) => (LESS.includes(axis) ? b[k]! - a[k]! : a[k]! - b[k]!));
  return gains.every((gain) => gain >= 0) && gains.some((gain) => gain > 0);
}

function sweepSheet(name: string, title: string, clusters: readonly PlansResult[]): Sheet {
  const swept = sweptOf(clusters);
  return {
    name: `plans-${name}`,
    title: `${title}: mean over ${clusters.length} clusters`,
    columns: ["method", "score asked", ...AXES, "95 % interval of survival", "dominated by"],
    rows: swept.map(({ method, level, point, interval: [low, high] }) => [
      method,
      score(level),
      ...point.map((value, k) => fixed(value, k < 2 ? 2 : 3)),
      `${fixed(low)} … ${fixed(high)}`,
      swept
        .filter((other) => dominates(other.point, point))
        .map((other) => `${other.method} ${score(other.level)}`)
        .slice(0, 1)
        .join(""),
    ]),
  };
}

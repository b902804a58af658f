import { stream } from "../src/num/random.ts";
import { mean } from "../src/num/stats.ts";
import type { Cell } from "../src/types.ts";
import type { ContestResult } from "./contest.ts";
import { CAPPED, FREE, type GoalName } from "./contestants.ts";
import type { Judged } from "./judge.ts";
import type { Sheet } from "./present.ts";
import { bootstrap, holm, ratioOfMeans, wilcoxon } from "./statistics.ts";

/** The methods whose claims are tested. */
const OURS = [FREE, CAPPED] as const;

const NUMBERS = [
  "validity",
  "edits",
  "edits90",
  "l1",
  "l2",
  "margin",
  "yNN",
  "lof",
  "robust",
  "modelRows",
  "blackBoxRows",
  "without",
] as const;
const TITLES = [
  "validity",
  "edits",
  "90 %",
  "L1",
  "L2",
  "margin",
  "yNN",
  "LOF",
  "after retraining",
  "model rows",
  "as a black box",
  "no plan",
];

const fixed = (value: number): string => (Number.isFinite(value) ? value.toFixed(value >= 100 ? 0 : 3) : "");
const dataOf = ({ scenario }: ContestResult): string => scenario.split("-")[0]!;
const found = (result: ContestResult, goal: GoalName, name: string): ContestResult["rows"][number] =>
  result.rows.find((row) => row.goal === goal && row.name === name)!;

/** Means over the scenarios of a data set and direction. */
export function contestSheet(results: readonly ContestResult[], goal: GoalName): Sheet {
  const groups = [...new Set(results.map((r) => `${dataOf(r)}, ${r.direction}`))];
  return {
    name: `contest-${goal}`,
    title: goal === "label" ? "Goal: the target class" : "Goal: at least the score of the transport proposal",
    columns: ["data set, direction", "scenarios", "method", ...TITLES],
    rows: groups.flatMap((group) => {
      const own = results.filter((r) => `${dataOf(r)}, ${r.direction}` === group);
      const names = own[0]!.rows.filter((row) => row.goal === goal).map(({ name }) => name);
      return names.map((name) => [
        group,
        own.length,
        name,
        ...NUMBERS.map((key) =>
          fixed(mean(own.flatMap((r) => found(r, goal, name)[key] ?? []).filter(Number.isFinite))),
        ),
      ]);
    }),
  };
}

/** Mean edits of one of ours and of another over the rows that both serve; none where there is no such row. */
function commonEdits(
  result: ContestResult,
  goal: GoalName,
  ours: string,
  name: string,
): (readonly [number, number])[] {
  const [own, other] = [found(result, goal, ours).perRow, found(result, goal, name).perRow];
  const both = own.flatMap((row, i) => (row && other[i] ? [[row[0], other[i]![0]] as const] : []));
  return both.length === 0 ? [] : [[mean(both.map(([a]) => a)), mean(both.map(([, b]) => b))]];
}

/** Ours against every other, over scenarios: Wilcoxon on edits with Holm's correction, ratio of edits with its interval. */
export function comparisonSheet(results: readonly ContestResult[], goal: GoalName): Sheet {
  const names = [...new Set(results.flatMap((r) => r.rows.map(({ name }) => name)))];
  const duels = OURS.flatMap((ours) =>
    names.filter((name) => name !== ours).map((name) => [ours, name] as const),
  );
  const pairs = duels.map(([ours, name]) => results.flatMap((r) => commonEdits(r, goal, ours, name)));
  const tests = pairs.map((pair) => wilcoxon(pair.map(([a, b]) => Number((a - b).toFixed(9)))));
  const adjusted = holm(tests.map(({ p }) => p));
  return {
    name: `comparison-${goal}`,
    title: `Ours against the others (goal ${goal}): edits, paired over scenarios`,
    columns: ["ours", "against", "scenarios", "ratio of edits", "95 % interval", "Wilcoxon p", "after Holm"],
    rows: duels.map(([ours, name], t) => {
      const pair = pairs[t]!;
      const [low, high] = bootstrap(pair, ratioOfMeans, stream(0, "ratio", goal, ours, name));
      const p = (v: number): string => (v < 0.001 ? "< 0.001" : v.toFixed(3));
      return [
        ours,
        name,
        pair.length,
        fixed(ratioOfMeans(pair)),
        `${fixed(low)} … ${fixed(high)}`,
        p(tests[t]!.p),
        p(adjusted[t]!),
      ];
    }),
  };
}

/** A scenario in which another beats ours; `farther`: but goes farther from x; `unsure`: but is worse on one mean. */
export interface Dominated {
  readonly scenario: string;
  readonly by: string;
  readonly farther: boolean;
  readonly unsure: boolean;
}

/** What plans are compared on, in the order of a plan's row; less is better of edits and distance. */
const AXES = ["edits", "margin", "yNN", "L2"] as const;
type Axis = (typeof AXES)[number];
const BETTER: Readonly<Record<Axis, 1 | -1>> = { edits: -1, margin: 1, yNN: 1, L2: -1 };

/**
 * Where one of ours is dominated on edits × margin × yNN, or on other axes: over the rows both serve, another is better on
 * at least one of them beyond the 95 % bootstrap interval of the paired difference, and on none worse in the mean
 * (`unsure`: on none worse beyond the interval).
 */
export function dominated(
  results: readonly ContestResult[],
  goal: GoalName,
  ours: string,
  axes: readonly Axis[] = ["edits", "margin", "yNN"],
): readonly Dominated[] {
  const held = asked.get(results) ?? new Map<string, readonly Dominated[]>();
  asked.set(results, held);
  const key = [goal, ours, ...axes].join();
  const known = held.get(key) ?? dominatedNow(results, goal, ours, axes);
  held.set(key, known);
  return known;
}

/** Several tables and sentences ask the same of the same results. */
const asked = new WeakMap<readonly ContestResult[], Map<string, readonly Dominated[]>>();

function dominatedNow(
  results: readonly ContestResult[],
  goal: GoalName,
  ours: string,
  axes: readonly Axis[],
): Dominated[] {
  return results.flatMap((result) => {
    const own = found(result, goal, ours).perRow;
    const scenario = `${result.scenario}, split ${result.split}, ${result.direction}`;
    return result.rows
      .filter((row) => row.goal === goal && row.name !== ours)
      .flatMap(({ name, perRow }) => {
        const pairs = own.flatMap((row, i) => (row && perRow[i] ? [[row, perRow[i]!] as const] : []));
        const gains = gainsOver(pairs, axes, `${result.scenario} ${result.split} ${name}`);
        if (!gains.some(({ low }) => low > 0) || gains.some(({ high }) => high < 0)) return [];
        const farther = mean(pairs.map(([a, b]) => b[L2] - a[L2])) > 0;
        return [{ scenario, by: name, farther, unsure: gains.some((gain) => gain.mean < 0) }];
      });
  });
}

type PlanRow = NonNullable<Judged["perRow"][number]>;
/** Where a plan's distance is in its row. */
const L2 = 3;

/** What another gains on the axes, positive where it is better, with the interval; none without rows. */
function gainsOver(
  pairs: readonly (readonly [own: PlanRow, other: PlanRow])[],
  axes: readonly Axis[],
  key: string,
) {
  return axes.flatMap((axis) => {
    const k = AXES.indexOf(axis);
    const own = pairs.map(([a, b]) => BETTER[axis] * (b[k]! - a[k]!));
    if (own.length === 0) return [];
    const [low, high] = bootstrap(own, mean, stream(0, "dominance", key, k), 400);
    return [{ mean: mean(own), low, high }];
  });
}

const GOALS = ["label", "score"] as const;
const CLAIMS = OURS.flatMap((ours) => GOALS.map((goal) => ({ ours, goal })));

/** In how many scenarios. */
export const countOf = (some: readonly Dominated[]): number => new Set(some.map((d) => d.scenario)).size;

/** How often ours is dominated: by what goes no farther from x, by anything however far, and with the unsure ones. */
export function claimSheet(results: readonly ContestResult[]): Sheet {
  const counted = (some: readonly Dominated[]): string => {
    const count = countOf(some);
    return `${count} (${((100 * count) / results.length).toFixed(1)} %)`;
  };
  return {
    name: "claim",
    title: "In how many scenarios ours is dominated on edits × margin × yNN beyond 95 % intervals",
    columns: ["ours", "goal", "scenarios", ...CLAIM_COLUMNS],
    rows: CLAIMS.map(({ ours, goal }) => {
      const all = dominated(results, goal, ours);
      const sure = all.filter((d) => !d.unsure);
      const near = (some: readonly Dominated[]): Dominated[] => some.filter((d) => !d.farther);
      const counts = [near(sure), sure, near(all), all].map(counted);
      return [ours, goal, results.length, ...counts, byWhom(sure)];
    }),
  };
}

const CLAIM_COLUMNS = [
  "by what goes no farther",
  "by anything",
  "no farther, or worse within the interval",
  "anything, or worse within the interval",
  "by whom (anything)",
];

function byWhom(all: readonly Dominated[]): string {
  const names = [...new Set(all.map(({ by }) => by))];
  return names.map((name) => `${name} ${all.filter(({ by }) => by === name).length}`).join(", ");
}

export function dominanceSheet(results: readonly ContestResult[]): Sheet {
  return {
    name: "dominated",
    title: "Scenarios in which ours is dominated on edits × margin × yNN beyond 95 % intervals",
    columns: ["ours", "goal", "scenario", "by", "distance", "means"],
    rows: CLAIMS.flatMap(({ ours, goal }) =>
      dominated(results, goal, ours).map(({ scenario, by, farther, unsure }) => [
        ours,
        goal,
        scenario,
        by,
        farther ? "larger" : "no larger",
        unsure ? "worse on one within its interval" : "no worse",
      ]),
    ),
  };
}

/** What couplings are called in the tables. */
const COUPLINGS: Readonly<Record<string, string>> = { exact: "own pair", match: "best reference" };

/** Mean edits and validity of every combination, over all scenarios. */
export function ablationSheet(results: readonly ContestResult[]): Sheet {
  const names = results[0]?.ablation.map(({ name }) => name) ?? [];
  return {
    name: "ablation",
    title: "What each part buys: coupling × attribution × policy (goal: the target class; stop and prune)",
    columns: ["coupling", "attribution", "policy", "edits", "validity"],
    rows: names.map((name) => {
      const own = results.map((r) => r.ablation.find((a) => a.name === name)!);
      const edits = own.map((a) => a.edits).filter(Number.isFinite);
      const [coupling = "", ...parts] = name.split(" × ");
      return [
        COUPLINGS[coupling] ?? coupling,
        ...parts,
        fixed(mean(edits)),
        fixed(mean(own.map((a) => a.validity))),
      ];
    }),
  };
}

/** In the order of data set, direction, feature and group. */
function byNames(a: readonly Cell[], b: readonly Cell[]): number {
  const at = [0, 1, 2, 3].find((k) => a[k] !== b[k]);
  return at === undefined ? 0 : String(a[at]) < String(b[at]) ? -1 : 1;
}

/** Who is left out when four rows in five are served, over the splits. */
export function leftOutSheet(results: readonly ContestResult[]): Sheet {
  const sums = new Map<string, { rows: number; left: number }>();
  for (const result of results) {
    for (const { feature, group, rows, left } of result.leftOut) {
      const key = `${dataOf(result)} × ${result.direction} × ${feature} × ${group}`;
      const held = sums.get(key) ?? { rows: 0, left: 0 };
      sums.set(key, { rows: held.rows + rows, left: held.left + left });
    }
  }
  return {
    name: "left-out",
    title: `Who is left out at the 80 % level (${FREE})`,
    columns: ["data set", "direction", "feature", "group", "rows", "left out", "share"],
    rows: [...sums]
      .map(([key, { rows, left }]) => [...key.split(" × "), rows, fixed(left), fixed(left / rows)])
      .sort(byNames),
  };
}

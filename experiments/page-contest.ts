import { mean } from "../src/num/stats.ts";
import type { ContestResult } from "./contest.ts";
import {
  ablationSheet,
  claimSheet,
  comparisonSheet,
  contestSheet,
  countOf,
  type Dominated,
  dominanceSheet,
  dominated,
  leftOutSheet,
} from "./contest-report.ts";
import { CAPPED, FREE, type GoalName } from "./contestants.ts";
import { type Sheet, sheetMarkdown } from "./present.ts";
import { DATA, type DataName } from "./settings.ts";

/** The results file of the contest. */
export interface ContestFile {
  readonly splits: number;
  readonly rows: number;
  readonly retrains: number;
  readonly why: readonly string[];
  readonly results: readonly ContestResult[];
}

const GOALS = ["label", "score"] as const;
const dataOf = ({ scenario }: ContestResult): string => scenario.split("-")[0]!;

/** What a scenario took, over the splits and directions whose time is known. */
export interface ContestTime {
  readonly scenario: string;
  readonly parts: number;
  readonly seconds: number;
}

/** CPU time of every scenario. */
export function timesSheet(times: readonly ContestTime[]): Sheet {
  const known = times.filter(({ parts }) => parts > 0);
  return {
    name: "contest-times",
    title: "CPU time of the contest, over splits and directions",
    columns: ["scenario", "splits × directions", "CPU s", "CPU s each"],
    rows: known.map(({ scenario, parts, seconds }) => [
      scenario,
      parts,
      Math.round(seconds),
      Number((seconds / parts).toPrecision(2)),
    ]),
  };
}

/** Every table of the contest, what matters most first. */
export function contestSheets(results: readonly ContestResult[]): Sheet[] {
  return [
    claimSheet(results),
    rivalsSheet(results),
    ...GOALS.map((goal) => contestSheet(results, goal)),
    ...GOALS.map((goal) => comparisonSheet(results, goal)),
    dominanceSheet(results),
    ablationSheet(results),
    leftOutSheet(results),
  ];
}

/** What was run and how the tables are to be read. */
export function aboutContest({ splits, rows, retrains, results }: ContestFile): string[] {
  const names = [...new Set(results.map(({ scenario }) => scenario))];
  return [
    `${results.length} scenarios (${names.join(", ")}; ${splits} ${splits === 1 ? "split" : "splits"}; the direction a person would want with protected features frozen, and the authors' class with none), at most ${rows} rows each, ${retrains} bootstrap models. Splits of one data set share rows, so their scenarios are not independent: p values are smaller and intervals narrower than they should be. Ours chooses reference and edits together, and references may be reused: ${FREE} goes as far as it likes and is held against every other however far that goes; ${CAPPED} takes no row farther than its transport proposal and is held against what goes no farther than itself. The one-to-one coupling is in the ablation. Dominated: another is no worse on edits, margin and yNN in the mean over the rows both serve, and better on one of them beyond its 95 % interval; the table of claims also counts rivals that are worse on one of them, but within its interval.`,
    "Edits (mean and 90th percentile), distances, margin, yNN, LOF and the share after retraining are over the rows a method brings to the goal, which validity counts; the comparisons are over rows that both serve. LOF is the median over rows, since it bursts where training rows are stacked copies of each other, as in COMPAS. After retraining: the share that models fitted to bootstrap samples, of as many rows as the model explained was trained on, put at the target class too. In the ablation the policy greedy chooses among rows, so within a row it is top; without attribution top takes features in their order.",
    "Model rows are all a method asks of the model's predict, for its coupling, attribution and search, as if it were alone; a generator is charged once for a row it asks for again. Ours, every minimal row, p-SHAP and direct look inside trees and linear models, and what they read there is no row of predict: the column counts few rows and says nothing about black boxes. As a black box: the rows the same method asks when the model is a plain predict function, on split 0 alone; methods that never look inside repeat their number of that split.",
    "exact takes any legal value, fewest edits and then the least change in median absolute deviations. NICE and DiCE are our own implementations of these methods, not their authors' programs.",
    "Paper sampling has one budget C for all rows where all have one target (goal label), as in the paper; where every row has a target of its own (goal score) each row is sampled alone with a budget of its own, which is a stop per row and helps it.",
  ];
}

/** The contest: what was run, where ours is dominated, who needs fewer edits, and the tables. */
export function contestPart(file: ContestFile, times: readonly ContestTime[] = []): string[] {
  const { why, results } = file;
  const sheets = [...contestSheets(results), timesSheet(times)].filter(({ rows }) => rows.length > 0);
  const absent = Object.keys(DATA).filter(
    (data) => data !== "loans" && !results.some((r) => dataOf(r) === data),
  );
  return [
    "## An honest contest",
    "",
    ...aboutContest(file).flatMap((line) => [line, ""]),
    ...(absent.length > 0
      ? [`- Not run: ${absent.map((data) => DATA[data as DataName].title).join(", ")}.`]
      : []),
    ...[...distanceLines(results), ...dominanceLines(results)].map((line) => `- ${line}`),
    ...why.map((line) => `- not run: ${line}`),
    "",
    ...sheets.flatMap((sheet) => [`### ${sheet.title}`, "", sheetMarkdown(sheet), ""]),
  ];
}

/** How often ours is dominated: without the cap by anybody, with it by those that go no farther. */
export function dominanceLines(results: readonly ContestResult[]): string[] {
  return [
    ...GOALS.map((goal) =>
      dominanceLine(results, goal, FREE, "however far the others go", ({ unsure }) => !unsure),
    ),
    ...GOALS.map((goal) =>
      dominanceLine(
        results,
        goal,
        CAPPED,
        "at no larger distance",
        ({ farther, unsure }) => !(farther || unsure),
      ),
    ),
  ];
}

/** How often ours is dominated where only edits and distance count. */
function distanceLines(results: readonly ContestResult[]): string[] {
  return GOALS.map((goal) => {
    const found = dominated(results, goal, FREE, ["edits", "L2"]).filter(({ unsure }) => !unsure);
    return `Goal ${goal}: on edits × distance alone ${FREE} is dominated in ${countOf(found)} of ${results.length} scenarios${byWhom(found)}.`;
  });
}

/** How often one of ours is dominated by those that count, in all and per data set, and by whom. */
function dominanceLine(
  results: readonly ContestResult[],
  goal: GoalName,
  ours: string,
  where: string,
  counts: (one: Dominated) => boolean,
): string {
  const found = dominated(results, goal, ours).filter(counts);
  const share = (of: readonly ContestResult[]): string => {
    const keys = new Set(of.map((r) => `${r.scenario}, split ${r.split}, ${r.direction}`));
    const hit = new Set(found.map(({ scenario }) => scenario).filter((scenario) => keys.has(scenario)));
    return `${hit.size} of ${of.length}`;
  };
  const data = [...new Set(results.map(dataOf))];
  const each = data.map(
    (d) => `${DATA[d as DataName].title} ${share(results.filter((r) => dataOf(r) === d))}`,
  );
  return `Goal ${goal}: ${ours} is dominated, ${where}, in ${share(results)} scenarios (${each.join(", ")})${byWhom(found)}.`;
}

/** Who dominates ours, and how often. */
function byWhom(found: readonly Dominated[]): string {
  const by = [...new Set(found.map((f) => f.by))].map(
    (name) => `${name} ${found.filter((f) => f.by === name).length}`,
  );
  return by.length > 0 ? `, by ${by.join(", ")}` : "";
}

/** Methods that need fewer edits than ours in the mean over a data set's scenarios, with what else they give. */
function rivalsSheet(results: readonly ContestResult[]): Sheet {
  const keys = ["edits", "validity", "margin", "yNN", "l2"] as const;
  const groups = [...new Set(results.map(dataOf))].flatMap((data) => GOALS.map((goal) => ({ data, goal })));
  const rows = groups.flatMap(({ data, goal }) => {
    const own = results.filter((r) => dataOf(r) === data);
    const of = (name: string): number[] =>
      keys.map((key) => {
        const values = own.flatMap((r) => r.rows.filter((row) => row.goal === goal && row.name === name));
        return mean(values.map((row) => row[key]).filter(Number.isFinite));
      });
    const ours = of(FREE);
    const names = [...new Set(own.flatMap((r) => r.rows.map(({ name }) => name)))];
    const better = names.filter((name) => name !== FREE && of(name)[0]! < ours[0]! - 1e-9);
    return [...better, ...(better.length > 0 ? [FREE] : [])].map((name) => [
      DATA[data as DataName].title,
      goal,
      name,
      ...of(name).map((value) => value.toFixed(3)),
    ]);
  });
  return {
    name: "rivals",
    title: `Where another method needs fewer edits than ${FREE}`,
    columns: ["data set", "goal", "method", "edits", "validity", "margin", "yNN", "L2"],
    rows,
  };
}

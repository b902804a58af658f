import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContestResult } from "./contest.ts";
import { comparisonSheet, contestSheet, dominanceSheet, leftOutSheet, OURS } from "./contest-report.ts";
import type { OptimalityResult } from "./optimality.ts";
import { PAPER_TABLE } from "./paper-values.ts";
import { type Sheet, scenarioSheet, sheetMarkdown, tableSheet } from "./present.ts";
import { bestSheet, type Results } from "./reproduce.ts";
import { type Draw, rerunSheet } from "./rerun.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, type DataName } from "./settings.ts";
import type { TableRow } from "./table.ts";

/**
 * docs/REPRODUCTION.md from the results in a folder; parts that were not run are named, and `remarks.md` of the
 * folder, where somebody wrote one, says what else a reader must know of these runs.
 */
export function reproductionPage(folder: string): string {
  const paper = read<Results>(folder, "table.json");
  const authors = read<Results>(folder, "table-authors.json");
  const check = read<{ agree: number; draws: Record<string, Draw[]> }>(folder, "check-authors.json");
  const optimal = read<Results>(folder, "optimality.json");
  const contest = read<{
    splits: number;
    rows: number;
    retrains: number;
    why: string[];
    results: ContestResult[];
  }>(folder, "contest.json");
  return [
    HEAD,
    ...remarks(folder),
    ...tablePart("paper", paper),
    ...tablePart("authors", authors),
    ...(check
      ? checkPart(check)
      : ["## The authors' settings against another program", "", NOT_RUN("check"), ""]),
    ...(optimal ? optimalPart(optimal) : ["## Optimality", "", NOT_RUN("optimality"), ""]),
    ...(contest ? contestPart(contest) : ["## An honest contest", "", NOT_RUN("contest"), ""]),
    WHY,
  ].join("\n");
}

const NOT_RUN = (what: string): string => `Not run for this page; \`cola reproduce ${what}\` does.`;

const HEAD = `# Reproduction

Made by \`cola reproduce page\` from the results of real runs on the four public data sets; every number below was
computed. How to run it again:

\`\`\`
cola reproduce table --workers 2                     # the paper's definition
cola reproduce table --preset authors --workers 2    # what the authors' programs do
cola reproduce check                                 # ten draws of (x, r) in the authors' settings
cola reproduce optimality
cola reproduce contest
cola reproduce page
\`\`\`

Every finished scenario is a file in the folder of \`--out\` and is not run again. Without the data sets the command
says what to fetch and from where, and runs on the embedded loan applications.
`;

const WHY = `## What does not agree, and why

- **The paper's scenarios are not known.** Its table averages four scenarios per data set that it does not name; ours
  are in \`experiments/settings.ts\`. The generator moves the numbers most: our DiCE takes the fewest changes its random
  draws find (about one), the authors' takes any of them; so rows with DiCE need fewer edits here.
- **Dashes.** Where every row is moved by transport, z is a permutation of r once all cells are edited, so 100 % is
  always reached there in the end; the paper's dashes for RB-p_OT mean that it was not reached within the budgets looked at.
  With p_Uni and A_max all rows go to one and the same reference: 100 % is reached if that one is of the desired class.
- **The level rule is not stated.** Both are given: first-hit (mean over runs of the first C) and mean-curve.
- **Four divergences, one number.** On hard labels OT = MeanD = Δ and MMD = 2(1 − 1/e)Δ²; a test says so.
- **CF-p_Ect** needs pairs. The authors' programs shuffle r, so in their preset there are none, and the cell says so.
- **KNN in the paper preset** gives each row its own nearest neighbour; the authors draw n rows from all neighbours.
- **The Gaussian process** trains on at most 1,000 seeded rows, and games averaged over many references are sampled coarser
  (258 subsets) than those of one-to-one couplings.
- **OT + minimal** is proven only where all subsets of a row's differing columns fit in the table (few columns); with
  many differing columns it is the best found, and OT + greedy can be below it at 100 %.
`;

function remarks(folder: string): string[] {
  const path = join(folder, "remarks.md");
  return existsSync(path) ? ["## About these runs", "", readFileSync(path, "utf8").trim(), ""] : [];
}

function read<T>(folder: string, name: string): T | undefined {
  const path = join(folder, name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : undefined;
}

function tablePart(preset: string, results: Results | undefined): string[] {
  const title = `## Modified features, preset \`${preset}\``;
  if (!results) return [title, "", NOT_RUN(`table --preset ${preset}`), ""];
  const { version, node, seed, runs, table = [], best = [] } = results;
  const missing = table.some((row) => row.why.length > 0);
  return [
    title,
    "",
    `cola-xai ${version}, Node ${node}, seed ${seed}, ${runs} runs. Edits per row ± half width (share of the differing columns); a dash: fewer than half of the scenarios reach the level.`,
    "",
    sheetMarkdown(without(tableSheet(table), "missing where")),
    "",
    ...(missing
      ? ["Empty cells: the method cannot be had there; the reasons are in the table's CSV.", ""]
      : []),
    sheetMarkdown(scenarioSheet(results.scenarios as ScenarioResult[])),
    "",
    ...verdicts(table, best),
    "",
  ];
}

function without(sheet: Sheet, column: string): Sheet {
  const at = sheet.columns.indexOf(column);
  const cut = <T>(row: readonly T[]): T[] => row.filter((_, k) => k !== at);
  return { ...sheet, columns: cut(sheet.columns), rows: sheet.rows.map(cut) };
}

/** Does CF-p_OT need the fewest edits, and how far is it from the paper's cell? */
function verdicts(table: readonly TableRow[], best: NonNullable<Results["best"]>): string[] {
  const lines = table
    .filter(({ method }) => method === "CF-p_OT")
    .map(({ data, cells }) => {
      const parts = cells.map((cell) => {
        const winner = best.find((b) => b.data === data && b.rule === cell.rule && b.level === cell.level)!;
        const own = cell.edits === null ? "not reached" : cell.edits.toFixed(2);
        const other = PAPER_TABLE[data]?.["CF-p_OT"]?.[String(cell.level)];
        const beside = other ? ` (paper ${other.edits})` : "";
        const verdict =
          winner.method === "CF-p_OT"
            ? "fewest"
            : `${winner.method} needs fewer: ${winner.edits?.toFixed(2)}`;
        return `${100 * cell.level} % ${cell.rule} ${own}${beside}, ${verdict}`;
      });
      return `- ${DATA[data as DataName].title}: ${parts.join("; ")}.`;
    });
  return [
    "Does CF-p_OT need the fewest edits among the paper's five methods?",
    "",
    ...lines,
    "",
    sheetMarkdown(bestSheet(best)),
  ];
}

function checkPart({ draws }: { draws: Record<string, Draw[]> }): string[] {
  const { sheet, agree } = rerunSheet(new Map(Object.entries(draws)));
  return [
    "## The authors' settings against another program",
    "",
    `${sheet.title}. The other values come from one draw each; a row agrees when both its first-hit values lie within our range, 10 % wider. ${agree} of ${sheet.rows.length} rows agree.`,
    "",
    sheetMarkdown(sheet),
    "",
  ];
}

function optimalPart(results: Results): string[] {
  const scenarios = results.scenarios as OptimalityResult[];
  const checks = scenarios.flatMap((s) => s.checks);
  const equal = checks.filter(({ ours, highs }) => highs !== null && Math.abs(ours - highs) < 1e-6).length;
  return [
    "## Optimality",
    "",
    `MeanD on labels, German Credit. Our optimum (all C at once) equals HiGHS in ${equal} of ${checks.length} budgets checked.`,
    "",
    sheetMarkdown({
      name: "",
      title: "",
      columns: ["scenario", "pairing", "C", "ours", "HiGHS"],
      rows: scenarios.flatMap(({ scenario, checks: own }) =>
        own.map((c) => [scenario, c.pairing, c.C, c.ours, c.highs]),
      ),
    }),
    "",
  ];
}

function contestPart(contest: {
  splits: number;
  rows: number;
  retrains: number;
  why: string[];
  results: ContestResult[];
}): string[] {
  const { splits, rows, retrains, why, results } = contest;
  const names = [...new Set(results.map(({ scenario }) => scenario))];
  const dominated = dominanceSheet(results);
  const label = new Set(dominated.rows.filter(([goal]) => goal === "label").map(([, scenario]) => scenario))
    .size;
  const sheets = [
    contestSheet(results, "label"),
    contestSheet(results, "score"),
    comparisonSheet(results, "label"),
    comparisonSheet(results, "score"),
    dominated,
    leftOutSheet(results),
  ];
  return [
    "## An honest contest",
    "",
    `${results.length} scenarios (${names.join(", ")}; ${splits} splits; the direction a person would want with protected features frozen, and the authors' class with none), ${rows} rows each, ${retrains} bootstrap models. On the goal *label* ${OURS} is dominated in ${label} of ${results.length} scenarios.`,
    ...why.map((line) => `- not run: ${line}`),
    "",
    ...sheets.flatMap((sheet) => [`### ${sheet.title}`, "", sheetMarkdown(sheet), ""]),
  ];
}

import type { Times } from "./benchmark.ts";
import { benchmarkSummary, benchmarkVerdict, reasonSheet } from "./benchmark-report.ts";
import { CONTESTANTS } from "./contestants.ts";
import { germanKnnSheet, germanKnnVerdict } from "./german-knn.ts";
import type { OptimalityResult } from "./optimality.ts";
import { type ContestFile, type ContestTime, contestPart, contestSheets } from "./page-contest.ts";
import { read, readable } from "./page-files.ts";
import { summaryPart } from "./page-summary.ts";
import {
  coveragePart,
  fewestPart,
  fewestSheet,
  generatorSheet,
  savedSheet,
  type Tables,
  tablePart,
} from "./page-table.ts";
import { survivalFigure } from "./plans-figure.ts";
import type { PlansFile } from "./plans-points.ts";
import { aboutPlans, plansVerdict } from "./plans-report.ts";
import { plansSheets } from "./plans-sheets.ts";
import { type Sheet, sheetMarkdown } from "./present.ts";
import type { BenchmarkResults } from "./reproduce-benchmark.ts";
import type { CheckResults } from "./reproduce-check.ts";
import type { SavingsResults } from "./reproduce-savings.ts";
import { agreementText, rerunSheet } from "./rerun.ts";
import { savingsSheets, savingsVerdict } from "./savings-report.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, type DataName, type PresetName } from "./settings.ts";
import type { Results } from "./table.ts";

/** docs/REPRODUCTION.md from the results in a folder; parts that were not run are named. */
export function reproductionPage(folder: string): string {
  return readable(folder, () => pageOf(folder));
}

function pageOf(folder: string): string {
  const tables = tablesIn(folder);
  const contest = contestIn(folder);
  return [
    headOf(dataIn(folder)),
    ...figurePart(folder),
    ...summaryPart({
      plans: read(folder, "plans.json"),
      tables,
      check: read(folder, "check-authors.json"),
      savings: read(folder, "savings.json"),
      optimality: read(folder, "optimality.json"),
      contest,
    }),
    ...part(folder, "plans.json", PLANS, "plans", plansPart),
    ...fewestPart(tables),
    ...coveragePart(tables),
    ...tablePart("paper", tables.paper, notRun("table")),
    ...tablePart("authors", tables.authors, notRun("table --preset authors")),
    ...part(
      folder,
      "check-authors.json",
      "The authors' settings against another program",
      "check",
      checkPart,
    ),
    ...part(folder, "savings.json", SAVINGS, "savings", savingsPart),
    ...part(folder, "optimality.json", "Optimality", "optimality", optimalPart),
    ...part(folder, "benchmark.json", BENCHMARK, "benchmark", (found: BenchmarkResults) =>
      benchmarkPart(found, read<Times[]>(folder, "benchmark-times.json") ?? []),
    ),
    ...(contest
      ? contestPart(contest, read<ContestTime[]>(folder, "contest-times.json"))
      : ["## An honest contest", "", notRun("contest"), ""]),
    WHY,
  ].join("\n");
}

function tablesIn(folder: string): Tables {
  return {
    paper: read<Results>(folder, "table.json"),
    authors: read<Results>(folder, "table-authors.json"),
  };
}

/** The contest, unless it was between other methods than today's. */
function contestIn(folder: string): ContestFile | undefined {
  const found = read<ContestFile>(folder, "contest.json");
  const whole = found?.results.every(({ rows }) =>
    CONTESTANTS.every(({ name }) => rows.some((row) => row.name === name)),
  );
  return whole ? found : undefined;
}

/** The tables that the page makes of the results in a folder, beside those the experiments wrote themselves. */
export function pageSheets(folder: string): Sheet[] {
  return readable(folder, () => sheetsOf(folder));
}

function sheetsOf(folder: string): Sheet[] {
  const tables = tablesIn(folder);
  const contest = contestIn(folder);
  const benchmark = read<BenchmarkResults>(folder, "benchmark.json");
  const times = read<Times[]>(folder, "benchmark-times.json") ?? [];
  const ofPreset = (preset: PresetName): Sheet[] => {
    const scenarios = tables[preset]?.scenarios as ScenarioResult[] | undefined;
    const suffix = preset === "paper" ? "" : `-${preset}`;
    const sheets = scenarios ? [savedSheet(scenarios), generatorSheet(scenarios)] : [];
    return sheets.map((sheet) => ({ ...sheet, name: `${sheet.name}${suffix}` }));
  };
  return [
    fewestSheet(tables),
    ...ofPreset("paper"),
    ...ofPreset("authors"),
    ...(contest ? contestSheets(contest.results) : []),
    ...(benchmark ? [benchmarkSummary(benchmark.scenarios, times), reasonSheet(benchmark.scenarios)] : []),
  ];
}

const SAVINGS = "Edits saved against the paper's sampling";
const BENCHMARK = "Generators before and after refinement";
const PLANS = "Plans over all legal values";
const notRun = (what: string): string => `Not run for this page; \`cola reproduce ${what}\` does.`;

/** The data sets with a result in the folder, in the order of the settings. */
function dataIn(folder: string): DataName[] {
  const tables = tablesIn(folder);
  const ids = [
    ...[tables.paper, tables.authors, read<Results>(folder, "optimality.json")].flatMap(
      (found) => found?.scenarios ?? [],
    ),
    ...(read<SavingsResults>(folder, "savings.json")?.savings ?? []),
    ...(read<BenchmarkResults>(folder, "benchmark.json")?.scenarios ?? []),
    ...(read<ContestFile>(folder, "contest.json")?.results ?? []),
    ...(read<PlansFile>(folder, "plans.json")?.results ?? []),
  ].flatMap((one) => ("why" in one && one.why ? [] : [one.scenario]));
  const drawn = Object.keys(read<CheckResults>(folder, "check-authors.json")?.draws ?? {});
  const names = new Set([...ids, ...drawn].map((id) => id.split("-")[0]));
  return (Object.keys(DATA) as DataName[]).filter((name) => names.has(name));
}

const headOf = (data: readonly DataName[]): string => `# Reproduction

${
  data.length === 0
    ? "Made by `cola reproduce page` from a folder without results: nothing below was run."
    : `Made by \`cola reproduce page\` from the results of real runs on ${data.map((name) => DATA[name].title).join(", ")}; every\nnumber and every verdict below was computed.`
} How to run it again:

\`\`\`
cola reproduce table                                 # the paper's definition
cola reproduce table --preset authors                # what the authors' programs do
cola reproduce check                                 # ten draws of (x, r) in the authors' settings
cola reproduce optimality
cola reproduce savings                               # what the joint choice saves, model by model
cola reproduce benchmark                             # every generator before and after refinement
cola reproduce contest
cola reproduce plans                                 # fewest edits over all legal values, and what survives retraining
cola reproduce page
\`\`\`

Every finished scenario is a file in the folder of \`--out\` and is not run again, unless a file of the program that
made it has changed since. Without the data sets the command says what to fetch and from where, and runs on the
embedded loan applications.
`;

const WHY = `## Where the readings differ

- **The paper's scenarios are not known.** Its table averages four scenarios per data set that it does not name; ours
  are in \`experiments/settings.ts\`, and the tables by generator above show how much they matter.
- **DiCE and NICE** are our own implementations. Ours of DiCE takes the fewest changes its random draws find, the authors'
  takes any of them.
- **Dashes.** Where every row is moved by transport, z is a permutation of r once all cells are edited, so 100 % is
  always reached there in the end; the paper's dashes for RB-p_OT mean that it was not reached within the budgets looked at.
  With p_Uni and A_max all rows go to one and the same reference: 100 % is reached if that one is of the desired class.
- **± and counts of cases.** ± is the noise of the sampler alone, on one model and one draw of rows. Cases by level and
  rule are readings of the same runs, not observations of their own.
- **The level rule is not stated.** Both are given: first-hit (mean over runs of the first C) and mean-curve, which at
  100 % asks that every run be there.
- **Four divergences, one number.** On hard labels OT = MeanD = Δ and MMD = 2(1 − 1/e)Δ²; a test says so.
- **CF-p_Ect** needs pairs. The authors' programs shuffle r, so in their preset there are none, and the cell says so.
- **KNN in the paper preset** gives each row its own nearest neighbour; the authors draw n rows from all neighbours.
- **Shares above 100 %.** With A_avg and p_Uni q differs from x in nearly every column, more than any reference does;
  and in the authors' preset cells with q = x are drawn and counted too.
- **The Gaussian process** trains on at most 1,000 seeded rows, and games averaged over many references are sampled coarser
  (258 subsets) than those of one-to-one couplings.
- **OT + minimal** is proven only where all subsets of a row's differing columns fit in the table (few columns); with
  many differing columns it is the best found.
`;

/** A part of the page, or that its command was not run. */
function part<T>(
  folder: string,
  file: string,
  title: string,
  command: string,
  lines: (found: T) => string[],
): string[] {
  const found = read<T>(folder, file);
  return found ? lines(found) : [`## ${title}`, "", notRun(command), ""];
}

/** The first figure, where plans were made. */
function figurePart(folder: string): string[] {
  const figure = survivalFigure(read<PlansFile>(folder, "plans.json")?.results ?? []);
  return figure ? [`![${figure.description}](images/edits-survival.svg)`, "", FIGURE, ""] : [];
}

const FIGURE =
  "Trees; means over data sets × models. Each dot is a score that plans were asked to reach, from the class alone on. The shaded part is proven to be empty: no plan has so few edits.";

function plansPart(file: PlansFile): string[] {
  const { results, why } = file;
  return [
    `## ${PLANS}`,
    "",
    ...aboutPlans(file).flatMap((line) => [line, ""]),
    ...plansVerdict(results).map((line) => `- ${line}`),
    ...why.map((line) => `- not run: ${line}`),
    "",
    ...plansSheets(results).flatMap((sheet) => [`### ${sheet.title}`, "", sheetMarkdown(sheet), ""]),
  ];
}

function checkPart({ draws, germanKnn, runs }: CheckResults): string[] {
  const { sheet, agreement } = rerunSheet(new Map(Object.entries(draws)));
  const table = germanKnnSheet(germanKnn);
  return [
    "## The authors' settings against another program",
    "",
    `${sheet.title}. The other values come from one draw each; a value agrees when it lies within our range, 10 % wider. ${agreementText(agreement)}`,
    "",
    sheetMarkdown(sheet),
    "",
    `### ${table.title}`,
    "",
    `${runs} runs each. ${germanKnnVerdict(germanKnn)}`,
    "",
    sheetMarkdown(table),
    "",
  ];
}

function savingsPart({ savings }: SavingsResults): string[] {
  const [head, ...lines] = savingsVerdict(savings);
  return [
    `## ${SAVINGS}`,
    "",
    head!,
    "",
    ...lines.map((line) => `- ${line}`),
    "",
    ...savingsSheets(savings).flatMap((sheet) => [`### ${sheet.title}`, "", sheetMarkdown(sheet), ""]),
  ];
}

function benchmarkPart({ rows, scenarios }: BenchmarkResults, times: readonly Times[]): string[] {
  const reasons = reasonSheet(scenarios);
  return [
    `## ${BENCHMARK}`,
    "",
    `Means over ${scenarios.map(({ scenario, n }) => `${scenario} (${n} rows)`).join(", ")}; at most ${rows} rows each, the direction a person would want, protected features frozen. Distances are in the mixed metric, over the rows that reach the target; redundancy counts the edits of a row that can be undone one at a time; CPU time and model rows of refined rows are those of the refinement alone. Every scenario is in benchmark.csv.`,
    "",
    ...benchmarkVerdict(scenarios).map((line) => `- ${line}`),
    "",
    sheetMarkdown(benchmarkSummary(scenarios, times)),
    "",
    ...(reasons.rows.length > 0 ? [sheetMarkdown(reasons), ""] : []),
  ];
}

function optimalPart(results: Results): string[] {
  const scenarios = results.scenarios as OptimalityResult[];
  const checks = scenarios.flatMap((s) => s.checks);
  const share = (on: string): string => {
    const own = checks.filter((check) => check.on === on);
    return `${own.filter(({ agrees }) => agrees).length} of ${own.length}`;
  };
  return [
    "## Optimality",
    "",
    `MeanD, German Credit, our optimum (all C at once) against HiGHS. Labels: equal in ${share("label")} budgets checked. Scores: equal to 1e-6, or past the crossing bound ≤ HiGHS ≤ ours with a gap within 1e-4 of D(f(x), y*), in ${share("score")}.`,
    "",
    sheetMarkdown({
      name: "",
      title: "",
      columns: ["scenario", "pairing", "on", "C", "bound", "ours", "HiGHS"],
      rows: scenarios.flatMap(({ scenario, checks: own }) =>
        own.map((c) => [scenario, c.pairing, c.on, c.C, c.bound, c.ours, c.highs]),
      ),
    }),
    "",
  ];
}

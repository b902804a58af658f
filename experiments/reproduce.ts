import { join } from "node:path";
import { writeFileWhole } from "../node/files.ts";
import type { FigureSpec } from "../show/figures/contract.ts";
import { renderPng } from "../show/figures/png.ts";
import { renderSvg } from "../show/figures/svg.ts";
import type { WorkOptions } from "../src/types.ts";
import { VERSION } from "../src/version.ts";
import { missingSets, whatToFetch } from "./data.ts";
import { curvesFigure } from "./figure.ts";
import { type OptimalityResult, optimality, optimalityFigure } from "./optimality.ts";
import { generatorSheet, savedSheet } from "./page-table.ts";
import { PAPER_ROWS } from "./paper-values.ts";
import { page, type Sheet, scenarioSheet, sheetFiles, tableSheet } from "./present.ts";
import { asWorker, type KeptJob, keptJob, resultsOf } from "./queue.ts";
import { runScenario, type ScenarioResult } from "./scenario.ts";
import { DATA, EMBEDDED, PRESETS, type PresetName, type Scenario, scenariosOf } from "./settings.ts";
import type { RunOptions } from "./setup.ts";
import { scenarioFile } from "./store.ts";
import { fewest, modificationTable, type Results } from "./table.ts";

/** What `cola reproduce` was asked. */
export interface Request {
  readonly preset: PresetName;
  readonly scenarios: readonly Scenario[];
  readonly runs: number;
  readonly seed: number;
  readonly folder: string;
  readonly out: string;
  readonly workers: number;
  readonly tell: (line: string) => void;
}

/** The scenarios whose data are here; the embedded ones stand in for the others, and it is said what is missing. */
export function available({ scenarios, folder, tell }: Request): readonly Scenario[] {
  const missing = missingSets(
    folder,
    scenarios.map(({ data }) => data),
  );
  if (missing.length === 0) return scenarios;
  tell(whatToFetch(folder, missing));
  tell("In their place the same experiment runs on the embedded loan applications.");
  const here = scenarios.filter(({ data }) => !missing.includes(data)).map(({ id }) => id);
  return scenariosOf([...here, ...EMBEDDED]);
}

export const optionsOf = ({ preset, seed, runs, folder }: Request): RunOptions => ({
  preset,
  seed,
  runs,
  folder,
});

/** Every scenario's result, from disk where it is there. */
export function scenarioResults(request: Request, work: WorkOptions): Promise<ScenarioResult[]> {
  return resultsOf(scenarioJobs(available(request), request), request, work);
}

function scenarioJobs(scenarios: readonly Scenario[], request: Request): KeptJob<ScenarioResult>[] {
  const options = optionsOf(request);
  return scenarios.map((scenario) =>
    keptJob(
      { name: scenario.id, argv: argvOf("scenario", scenario, request) },
      scenarioFile(request.out, scenario, options),
      "scenario",
      (work) => runScenario(scenario, options, work),
    ),
  );
}

/** What a worker does. */
export const oneScenario = (request: Request, work: WorkOptions): Promise<void> =>
  asWorker(scenarioJobs(request.scenarios, request), work);

/** The modification table: JSON, CSV, LaTeX and a page that puts our numbers beside the paper's. */
export async function reproduceTable(
  request: Request,
  work: WorkOptions,
): Promise<{ results: Results; sheet: Sheet; files: string[] }> {
  const scenarios = await scenarioResults(request, work);
  const table = modificationTable(scenarios);
  const best = fewest(table, PAPER_ROWS);
  const results: Results = { ...headOf(request, "table"), scenarios, table, best };
  const sheets = [
    tableSheet(table),
    bestSheet(best),
    savedSheet(scenarios),
    generatorSheet(scenarios),
    scenarioSheet(scenarios),
  ];
  for (const { scenario, why } of scenarios) if (why) request.tell(`${scenario} was not run: ${why}`);
  const files = [
    write(request, "table.json", `${JSON.stringify(results)}\n`),
    ...sheetFiles(sheets).map(([name, content]) => write(request, name, content)),
    write(
      request,
      "table.html",
      page("Modified features: ours beside the paper's", linesOf(request), sheets),
    ),
  ];
  return { results, sheet: sheets[0]!, files };
}

/** Which of the paper's methods needs the fewest edits. */
function bestSheet(best: ReturnType<typeof fewest>): Sheet {
  return {
    name: "best",
    title: "Which of the paper's five methods needs the fewest edits",
    columns: ["data set", "rule", "level", "method", "edits per row"],
    rows: best.map(({ data, rule, level, method, edits }) => [
      DATA[data as keyof typeof DATA].title,
      rule,
      `${100 * level} %`,
      method ?? "none",
      edits === null ? null : Number(edits.toFixed(3)),
    ]),
  };
}

/** D versus C: one figure per data set as SVG and PNG. */
export async function reproduceFigure(request: Request, work: WorkOptions): Promise<string[]> {
  const scenarios = await scenarioResults(request, work);
  const names = [...new Set(scenarios.filter((s) => s.why === undefined).map(({ data }) => data))];
  const files: string[] = [];
  for (const data of names) {
    files.push(...(await draw(request, `curves-${data}`, curvesFigure(data, scenarios))));
  }
  return files;
}

/** Words with which this program does one job of a request. */
export function argvOf(
  what: string,
  { id }: Scenario,
  { preset, seed, runs, folder, out }: Request,
): string[] {
  return [
    ...["reproduce", what, "--scenarios", id, "--preset", preset, "--seed", String(seed)],
    ...["--runs", String(runs), "--data-dir", folder, "--out", out, "--workers", "1"],
  ];
}

/** The optimality figure and its check by HiGHS. */
export async function reproduceOptimality(
  request: Request,
  work: WorkOptions,
): Promise<{ results: Results; sheet: Sheet; files: string[] }> {
  const scenarios: OptimalityResult[] = [];
  for (const scenario of available(request)) {
    const found = await optimality(scenario, optionsOf(request), DATA[scenario.data].last, work);
    for (const note of found.notes) request.tell(`${scenario.id}: ${note}`);
    scenarios.push(found);
  }
  const results: Results = { ...headOf(request, "optimality"), scenarios };
  const sheet = optimalitySheet(scenarios);
  const files = [
    write(request, "optimality.json", `${JSON.stringify(results)}\n`),
    ...sheetFiles([sheet]).map(([name, content]) => write(request, name, content)),
    ...(await draw(request, "optimality", optimalityFigure(scenarios))),
  ];
  return { results, sheet, files };
}

function optimalitySheet(scenarios: readonly OptimalityResult[]): Sheet {
  return {
    name: "optimality",
    title: "Least MeanD: our solver and HiGHS",
    columns: ["scenario", "pairing", "on", "C", "bound", "ours", "HiGHS"],
    rows: scenarios.flatMap(({ scenario, checks }) =>
      checks.map(({ pairing, on, C, bound, ours, highs }) => [scenario, pairing, on, C, bound, ours, highs]),
    ),
  };
}

/** How a results file was made. */
export function headOf({ preset, seed, runs }: Request, kind: Results["kind"]) {
  return {
    kind,
    version: VERSION,
    node: process.versions.node,
    preset,
    switches: PRESETS[preset],
    seed,
    runs,
  };
}

export function linesOf({ preset, seed, runs }: Request): string[] {
  return [
    `cola-xai ${VERSION}, Node ${process.versions.node}; preset ${preset}, seed ${seed}, ${runs} runs per scenario and method.`,
    "Edits per row ± half width of the 99.9 % interval over runs (share of the columns in which x and r differ). " +
      "A dash: fewer than half of the scenarios reach the level (first-hit: in every run). The paper's own scenarios are not known.",
  ];
}

/** Files of the authors' preset carry its name, so that both readings fit in one folder. */
export function write({ out, preset }: Request, name: string, content: string | Uint8Array): string {
  const path = join(out, preset === "paper" ? name : name.replace(".", `-${preset}.`));
  writeFileWhole(path, content);
  return path;
}

async function draw(request: Request, name: string, spec: FigureSpec): Promise<string[]> {
  const svg = await renderSvg(spec);
  return [write(request, `${name}.svg`, svg), write(request, `${name}.png`, await renderPng(svg))];
}

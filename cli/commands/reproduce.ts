import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { GERMAN_KNN } from "../../experiments/german-knn.ts";
import { RERUN } from "../../experiments/paper-values.ts";
import { type Sheet, sheetFiles, sheetText } from "../../experiments/present.ts";
import {
  oneScenario,
  type Request,
  reproduceFigure,
  reproduceOptimality,
  reproduceTable,
} from "../../experiments/reproduce.ts";
import {
  BENCHMARK,
  BENCHMARK_QUICK,
  type BenchmarkRequest,
  oneBenchmark,
  reproduceBenchmark,
} from "../../experiments/reproduce-benchmark.ts";
import { oneDraws, reproduceCheck } from "../../experiments/reproduce-check.ts";
import {
  CONTEST,
  CONTEST_QUICK,
  type ContestRequest,
  oneContest,
  reproduceContest,
} from "../../experiments/reproduce-contest.ts";
import { onePlans, plansRequest, reproducePlans } from "../../experiments/reproduce-plans.ts";
import { oneSaving, reproduceSavings, SAVINGS, SAVINGS_QUICK } from "../../experiments/reproduce-savings.ts";
import { pageSheets, reproductionPage } from "../../experiments/reproduction-page.ts";
import { type PresetName, QUICK, SCENARIOS, type Scenario, scenariosOf } from "../../experiments/settings.ts";
import { checkWritable, writeFileWhole } from "../../node/files.ts";
import { setsFolder } from "../../node/sets.ts";
import { ColaError, checkOption } from "../../src/errors.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Given } from "../../study/options.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";

/** Runs of the sampling in full and with `--quick`. */
const RUNS = 100;
const QUICK_RUNS = 20;
const CHECK_RUNS = 40;
const OPTIMALITY = ["german-forest-dice", "german-forest-knn"];

/** The paper's numerical section on the user's machine: every finished scenario is kept and not run again. */
export const reproduceCommand: CommandSpec = {
  name: "reproduce",
  summary:
    "run the paper's experiments: table, figure, optimality, check, savings, benchmark, contest, plans, all, page",
  arguments: "[what]",
  options: [
    "scenarios",
    "runs",
    "splits",
    "quick",
    "preset",
    "workers",
    "seed",
    "dataDir",
    "out",
    "timeout",
    "json",
  ],
  examples: [
    "cola reproduce table --quick",
    "cola reproduce table --preset authors --workers 2",
    "cola reproduce figure --scenarios german-forest-knn,heloc-qda-knn",
    "cola reproduce optimality",
    "cola reproduce savings --quick",
    "cola reproduce benchmark --quick",
    "cola reproduce contest --quick",
    "cola reproduce plans --quick",
    "cola reproduce all",
  ],
  run: (given, what = "table") =>
    withWork(given, async (work) => {
      const request = requestOf(given);
      const limited = withTimeout(work, given.timeout);
      if (Object.hasOwn(WORKERS, what)) {
        await WORKERS[what]!(given, request, limited);
        return EXIT.ok;
      }
      const action = actionOf(what);
      checkFolder(request.out);
      const { json, text, nothing } = await action(given, request, limited);
      process.stdout.write(given.json ? `${JSON.stringify(json)}\n` : `${text}\n`);
      if (nothing) request.tell("No scenario could be run, for the reasons above.");
      return nothing ? EXIT.someRows : EXIT.ok;
    }),
};

/** Makes a file in the folder and takes it away again: a run of an hour must not end for want of a place. */
function checkFolder(out: string): void {
  checkWritable(out);
  const file = join(out, `.${process.pid}.test`);
  writeFileWhole(file, "");
  rmSync(file, { force: true });
}

function actionOf(what: string): Action {
  if (Object.hasOwn(ACTIONS, what)) return ACTIONS[what]!;
  throw new ColaError(
    "OPTION_INVALID",
    `reproduce: there is no ${JSON.stringify(what)}; choose one of ${Object.keys(ACTIONS).join(", ")}.`,
    { what },
  );
}

/** The time limit holds for all scenarios together; those that are finished by then are kept. */
function withTimeout(work: WorkOptions, seconds: number | undefined): WorkOptions {
  if (seconds === undefined) return work;
  const { limits: _, signal, ...others } = work;
  const limit = new AbortController();
  signal?.addEventListener("abort", () => limit.abort(signal.reason), { once: true });
  setTimeout(() => limit.abort(), 1000 * seconds).unref();
  return { ...others, signal: limit.signal };
}

/** What is said on standard output, for programs and for people. */
interface Said {
  readonly json: object;
  readonly text: string;
  /** No scenario has a result. */
  readonly nothing?: boolean;
}

type Action = (given: Given, request: Request, work: WorkOptions) => Promise<Said>;

const table: Action = async (_given, request, work) => {
  const { results, sheet, files } = await reproduceTable(request, work);
  const nothing = !results.table?.length;
  return { json: results, text: `${sheetText(sheet)}\n\n${written(files)}`, nothing };
};

const figure: Action = async (_given, request, work) => {
  const files = await reproduceFigure(request, work);
  return { json: { files }, text: written(files), nothing: files.length === 0 };
};

const optimality: Action = async (given, request, work) => {
  const scenarios = given.scenarios ? request.scenarios : scenariosOf(OPTIMALITY);
  const { results, sheet, files } = await reproduceOptimality({ ...request, scenarios }, work);
  return { json: results, text: `${sheetText(sheet)}\n\n${written(files)}` };
};

const onGerman = ({ data, generator }: Scenario): boolean => data === "german" && generator === "knn";

/** The authors' settings against another program's run of them, whatever preset is given. */
const check: Action = async (given, request, work) => {
  const rows = scenariosOf(RERUN.map(({ scenario }) => scenario));
  const scenarios = given.scenarios ? request.scenarios : given.quick ? rows.filter(onGerman) : rows;
  const whole = !(given.scenarios || given.quick);
  const germanKnn = whole ? GERMAN_KNN : scenarios.filter(onGerman);
  const { results, sheets, files } = await reproduceCheck(
    {
      ...request,
      scenarios,
      germanKnn,
      runs: given.runs ?? CHECK_RUNS,
      preset: "authors",
    },
    work,
  );
  return saidOf(results, sheets, files);
};

const savings: Action = async (given, request, work) => {
  const ids = given.scenarios ?? (given.quick ? SAVINGS_QUICK : SAVINGS);
  const asked = { ...request, scenarios: scenariosOf(ids) };
  const { results, sheets, files } = await reproduceSavings(asked, work);
  return { ...saidOf(results, sheets, files), nothing: results.savings.every(({ why }) => why) };
};

const benchmark: Action = async (given, request, work) => {
  const asked = benchmarkRequest(given, request);
  const { results, sheets, files } = await reproduceBenchmark(asked, given.quick === true, work);
  return saidOf(results, sheets, files);
};

function benchmarkRequest(given: Given, request: Request): BenchmarkRequest {
  const ids = given.scenarios ?? (given.quick ? BENCHMARK_QUICK : BENCHMARK);
  return {
    ...request,
    scenarios: scenariosOf(ids),
    rows: given.quick ? 15 : 30,
    preset: "paper",
  };
}

const contest: Action = async (given, request, work) => {
  const { results, sheets, files } = await reproduceContest(contestRequest(given, request), work);
  return { ...saidOf(results, sheets, files), nothing: results.results.length === 0 };
};

function contestRequest(given: Given, request: Request): ContestRequest {
  const ids = given.scenarios ?? (given.quick ? CONTEST_QUICK : CONTEST);
  return {
    ...request,
    scenarios: scenariosOf(ids),
    splits: given.splits ?? (given.quick ? 1 : 5),
    rows: given.quick ? 15 : 30,
    retrains: given.quick ? 3 : 10,
  };
}

const plans: Action = async (given, request, work) => {
  const { results, sheets, files } = await reproducePlans(plansRequest(request, given), work);
  return { ...saidOf(results, sheets, files), nothing: results.results.length === 0 };
};

/** docs/REPRODUCTION.md from what is in the folder, and its tables. */
const page: Action = async (_given, { out }) => {
  const contents = [["REPRODUCTION.md", reproductionPage(out)], ...sheetFiles(pageSheets(out))].map(
    ([name, content]) => [join(out, name!), content!] as const,
  );
  for (const [path, content] of contents) writeFileWhole(path, content);
  const files = contents.map(([path]) => path);
  return { json: { files }, text: written(files) };
};

const PARTS: Readonly<Record<string, Action>> = {
  table,
  figure,
  optimality,
  check,
  savings,
  benchmark,
  contest,
  plans,
  page,
};

/** Of `all --quick`: what ends within two minutes. */
const QUICK_PARTS = ["table", "figure", "optimality", "page"];

const all: Action = async (given, request, work) => {
  const names = given.quick ? QUICK_PARTS : Object.keys(PARTS);
  const said: [string, Said][] = [];
  for (const name of names) {
    request.tell(`${name}:`);
    said.push([name, await PARTS[name]!(given, request, work)]);
  }
  return {
    json: Object.fromEntries(said.map(([name, { json }]) => [name, json])),
    text: said.map(([name, { text }]) => `${name}\n${text}`).join("\n\n"),
    nothing: said.some(([, { nothing }]) => nothing),
  };
};

const ACTIONS: Readonly<Record<string, Action>> = { ...PARTS, all };

/** What workers are told to do; they say nothing. */
const WORKERS: Readonly<
  Record<string, (given: Given, request: Request, work: WorkOptions) => Promise<void>>
> = {
  "benchmark-scenario": (given, request, work) => oneBenchmark(benchmarkRequest(given, request), work),
  "contest-scenario": (given, request, work) => oneContest(contestRequest(given, request), work),
  "plans-scenario": (given, request, work) => onePlans(plansRequest(request, given), work),
  draws: (_given, request, work) => oneDraws(request, work),
  saving: (_given, request, work) => oneSaving(request, work),
  scenario: (_given, request, work) => oneScenario(request, work),
};

function requestOf(given: Given): Request {
  checkOption(given.out !== "-", "reproduce", "--out", "a folder, since there are many files", given.out);
  const folder = given.quick ? "reproduce-quick" : "reproduce";
  const ids = given.scenarios ?? (given.quick ? QUICK : SCENARIOS.map(({ id }) => id));
  return {
    preset: (given.preset ?? "paper") as PresetName,
    scenarios: scenariosOf(ids),
    runs: given.runs ?? (given.quick ? QUICK_RUNS : RUNS),
    seed: given.seed ?? 0,
    folder: setsFolder(given.dataDir),
    out: given.out === "out" || given.out === undefined ? join("out", folder) : given.out,
    workers: given.workers || availableParallelism(),
    tell: (line) => {
      process.stderr.write(`${line}\n`);
    },
  };
}

const written = (files: readonly string[]): string => `Written: ${files.join(", ")}`;

function saidOf(json: object, sheets: readonly Sheet[], files: readonly string[]): Said {
  const tables = sheets.map((sheet) => `${sheet.title}\n${sheetText(sheet)}`);
  return { json, text: [...tables, written(files)].join("\n\n") };
}

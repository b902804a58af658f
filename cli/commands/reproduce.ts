import { join } from "node:path";
import { GERMAN_KNN } from "../../experiments/german-knn.ts";
import { RERUN } from "../../experiments/paper-values.ts";
import { type Sheet, sheetText } from "../../experiments/present.ts";
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
import { oneSaving, reproduceSavings, SAVINGS, SAVINGS_QUICK } from "../../experiments/reproduce-savings.ts";
import { reproductionPage } from "../../experiments/reproduction-page.ts";
import { type PresetName, QUICK, SCENARIOS, type Scenario, scenarioOf } from "../../experiments/settings.ts";
import { writeFileWhole } from "../../node/files.ts";
import { setsFolder } from "../../node/sets.ts";
import { ColaError } from "../../src/errors.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Given } from "../options.ts";
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
    "run the paper's experiments: table, figure, optimality, check, savings, benchmark, contest, all, page",
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
    "cola reproduce all",
  ],
  run: (given, what = "table") =>
    withWork(given, async (work) => {
      const action = Object.hasOwn(ACTIONS, what) ? ACTIONS[what] : undefined;
      if (!action) {
        throw new ColaError(
          "OPTION_INVALID",
          `reproduce: there is no ${JSON.stringify(what)}; choose one of ${Object.keys(ACTIONS).join(", ")}.`,
          { what },
        );
      }
      await action(given, requestOf(given), work);
      return EXIT.ok;
    }),
};

type Action = (given: Given, request: Request, work: WorkOptions) => Promise<void>;

const table: Action = async (given, request, work) => {
  const { results, sheet, files } = await reproduceTable(request, work);
  say(given, results, sheet, files);
};

const figure: Action = async (given, request, work) => {
  const files = await reproduceFigure(request, work);
  process.stdout.write(given.json ? `${JSON.stringify({ files })}\n` : `Written: ${files.join(", ")}\n`);
};

const optimality: Action = async (given, request, work) => {
  const scenarios = given.scenarios ? request.scenarios : OPTIMALITY.map(scenarioOf);
  const { results, sheet, files } = await reproduceOptimality({ ...request, scenarios }, work);
  say(given, results, sheet, files);
};

const onGerman = ({ data, generator }: Scenario): boolean => data === "german" && generator === "knn";

/** The authors' settings against another program's run of them, whatever preset is given. */
const check: Action = async (given, request, work) => {
  const rows = RERUN.map(({ scenario }) => scenarioOf(scenario));
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
  sayAll(given, results, sheets, files);
};

const savings: Action = async (given, request, work) => {
  const ids = given.scenarios ?? (given.quick ? SAVINGS_QUICK : SAVINGS);
  const asked = { ...request, scenarios: ids.map(scenarioOf) };
  const { results, sheets, files } = await reproduceSavings(asked, work);
  sayAll(given, results, sheets, files);
};

const benchmark: Action = async (given, request, work) => {
  const asked = benchmarkRequest(given, request);
  const { results, sheets, files } = await reproduceBenchmark(asked, given.quick === true, work);
  sayAll(given, results, sheets, files);
};

function benchmarkRequest(given: Given, request: Request): BenchmarkRequest {
  const ids = given.scenarios ?? (given.quick ? BENCHMARK_QUICK : BENCHMARK);
  return {
    ...request,
    scenarios: ids.map(scenarioOf),
    rows: given.quick ? 15 : 30,
    preset: "paper",
  };
}

const contest: Action = async (given, request, work) => {
  const { results, sheets, files } = await reproduceContest(contestRequest(given, request), work);
  sayAll(given, results, sheets, files);
};

function contestRequest(given: Given, request: Request): ContestRequest {
  const ids = given.scenarios ?? (given.quick ? CONTEST_QUICK : CONTEST);
  return {
    ...request,
    scenarios: ids.map(scenarioOf),
    splits: given.splits ?? (given.quick ? 1 : 5),
    rows: given.quick ? 15 : 30,
    retrains: given.quick ? 3 : 10,
  };
}

const ACTIONS: Readonly<Record<string, Action>> = {
  table,
  figure,
  optimality,
  all: async (given, request, work) => {
    for (const action of [table, figure, optimality]) await action(given, request, work);
  },
  check,
  savings,
  benchmark,
  contest,
  /** docs/REPRODUCTION.md from what is in the folder. */
  page: async (_given, { out }) => {
    const path = join(out, "REPRODUCTION.md");
    writeFileWhole(path, reproductionPage(out));
    process.stdout.write(`Written: ${path}\n`);
  },
  /** What workers are told to do. */
  "benchmark-scenario": (given, request, work) => oneBenchmark(benchmarkRequest(given, request), work),
  "contest-scenario": (given, request, work) => oneContest(contestRequest(given, request), work),
  draws: (_given, request, work) => oneDraws(request, work),
  saving: (_given, request, work) => oneSaving(request, work),
  scenario: (_given, request, work) => oneScenario(request, work),
};

function requestOf(given: Given): Request {
  const ids = given.scenarios ?? (given.quick ? QUICK : SCENARIOS.map(({ id }) => id));
  return {
    preset: (given.preset ?? "paper") as PresetName,
    scenarios: ids.map(scenarioOf),
    runs: given.runs ?? (given.quick ? QUICK_RUNS : RUNS),
    seed: given.seed ?? 0,
    folder: setsFolder(given.dataDir),
    out: given.out === "out" || given.out === undefined ? join("out", "reproduce") : given.out,
    workers: given.workers ?? 2,
    tell: (line) => {
      process.stderr.write(`${line}\n`);
    },
  };
}

function say(given: Given, results: object, sheet: Sheet, files: readonly string[]): void {
  process.stdout.write(
    given.json ? `${JSON.stringify(results)}\n` : `${sheetText(sheet)}\n\nWritten: ${files.join(", ")}\n`,
  );
}

function sayAll(given: Given, results: object, sheets: readonly Sheet[], files: readonly string[]): void {
  const text = sheets.map((sheet) => `${sheet.title}\n${sheetText(sheet)}`).join("\n\n");
  process.stdout.write(
    given.json ? `${JSON.stringify(results)}\n` : `${text}\n\nWritten: ${files.join(", ")}\n`,
  );
}

import { join } from "node:path";
import type { WorkOptions } from "../src/types.ts";
import { type BenchmarkResult, benchmark, type Times } from "./benchmark.ts";
import { benchmarkSheet, benchmarkSummary, benchmarkVerdict, reasonSheet } from "./benchmark-report.ts";
import { page, type Sheet, sheetCsv, sheetLatex } from "./present.ts";
import { endWithParent, type Job, runQueue } from "./queue.ts";
import { argvOf, available, headOf, type Request, write } from "./reproduce.ts";
import type { Scenario } from "./settings.ts";
import { keep, readKept } from "./store.ts";

/** Every data set with an ensemble and a linear model; rows are drawn among those that have a neighbour at the target. */
export const BENCHMARK = ["german", "hotel", "compas", "heloc"].flatMap((data) => [
  `${data}-forest-knn`,
  `${data}-logistic-knn`,
]);
export const BENCHMARK_QUICK = ["german-forest-knn", "compas-logistic-knn"];

export interface BenchmarkRequest extends Request {
  /** Factual rows of a scenario. */
  readonly rows: number;
}

/** What `benchmark` found, as it is written to its results file; CPU times go to a file of their own. */
export interface BenchmarkResults {
  readonly rows: number;
  readonly scenarios: readonly BenchmarkResult[];
}

function fileOf({ out, seed, rows }: BenchmarkRequest, { id }: Scenario, kind: "results" | "times"): string {
  return join(out, "benchmark", `${id}-rows${rows}-seed${seed}${kind === "times" ? "-times" : ""}.json`);
}

const kept = <T>(request: BenchmarkRequest, scenario: Scenario, kind: "results" | "times"): T | undefined =>
  readKept<T>(fileOf(request, scenario, kind), "benchmark");

function jobOf(scenario: Scenario, request: BenchmarkRequest, quick: boolean): Job {
  return {
    name: scenario.id,
    done: () => kept(request, scenario, "results") !== undefined,
    run: async (work) => {
      const { result, times } = await benchmark(scenario, request, work);
      keep(fileOf(request, scenario, "times"), times, "benchmark");
      keep(fileOf(request, scenario, "results"), result, "benchmark");
    },
    argv: [...argvOf("benchmark-scenario", scenario, request), ...(quick ? ["--quick"] : [])],
  };
}

/** What a worker does. */
export async function oneBenchmark(request: BenchmarkRequest, work: WorkOptions): Promise<void> {
  endWithParent();
  for (const scenario of request.scenarios) await jobOf(scenario, request, false).run(work);
}

/** The benchmark table: JSON, CSV, LaTeX and a page; the files named times, and the page, hold CPU times too. */
export async function reproduceBenchmark(
  request: BenchmarkRequest,
  quick: boolean,
  work: WorkOptions,
): Promise<{ results: BenchmarkResults; sheets: Sheet[]; files: string[] }> {
  const scenarios = available(request);
  await runQueue(
    scenarios.map((scenario) => jobOf(scenario, request, quick)),
    request.workers,
    work,
    request.tell,
  );
  const found = scenarios.map((scenario) => kept<BenchmarkResult>(request, scenario, "results")!);
  const times = scenarios.map((scenario) => kept<Times>(request, scenario, "times") ?? []);
  const results = { ...headOf(request, "benchmark"), rows: request.rows, scenarios: found };
  const plain = benchmarkSheet(found);
  const timed = benchmarkSheet(found, times);
  const sheets = [benchmarkSummary(found, times), reasonSheet(found)];
  const lines = [
    `${found.length} scenarios, at most ${request.rows} rows each, seed ${request.seed}; redundancy: edits that can be undone one at a time. CPU time and model rows of refined rows are those of the refinement alone.`,
    ...benchmarkVerdict(found),
  ];
  const files = [
    write(request, "benchmark.json", `${JSON.stringify(results)}\n`),
    write(request, "benchmark-times.json", `${JSON.stringify(times)}\n`),
    ...[plain, timed, ...sheets].flatMap((sheet) => [
      write(request, `${sheet.name}.csv`, sheetCsv(sheet)),
      write(request, `${sheet.name}.tex`, sheetLatex(sheet)),
    ]),
    write(
      request,
      "benchmark.html",
      page("Generators before and after refinement", lines, [...sheets, timed]),
    ),
  ];
  return { results, sheets, files };
}

import { join } from "node:path";
import type { WorkOptions } from "../src/types.ts";
import { type BenchmarkResult, benchmark, type Times } from "./benchmark.ts";
import { benchmarkSheet, benchmarkSummary, benchmarkVerdict, reasonSheet } from "./benchmark-report.ts";
import { page, type Sheet, sheetFiles } from "./present.ts";
import { asWorker, type KeptJob, keptJob, resultsOf } from "./queue.ts";
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

function jobsOf(
  scenarios: readonly Scenario[],
  request: BenchmarkRequest,
  quick: boolean,
): KeptJob<BenchmarkResult>[] {
  return scenarios.map((scenario) => {
    const argv = [...argvOf("benchmark-scenario", scenario, request), ...(quick ? ["--quick"] : [])];
    const path = fileOf(request, scenario, "results");
    return keptJob({ name: scenario.id, argv }, path, "benchmark", async (work) => {
      const { result, times } = await benchmark(scenario, request, work);
      keep(fileOf(request, scenario, "times"), times, "benchmark");
      return result;
    });
  });
}

/** What a worker does. */
export const oneBenchmark = (request: BenchmarkRequest, work: WorkOptions): Promise<void> =>
  asWorker(jobsOf(request.scenarios, request, false), work);

/** The benchmark table: JSON, CSV, LaTeX and a page; the files named times, and the page, hold CPU times too. */
export async function reproduceBenchmark(
  request: BenchmarkRequest,
  quick: boolean,
  work: WorkOptions,
): Promise<{ results: BenchmarkResults; sheets: Sheet[]; files: string[] }> {
  const scenarios = available(request);
  const found = await resultsOf(jobsOf(scenarios, request, quick), request, work);
  const times = scenarios.map((one) => readKept<Times>(fileOf(request, one, "times"), "benchmark") ?? []);
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
    ...sheetFiles([plain, timed, ...sheets]).map(([name, content]) => write(request, name, content)),
    write(
      request,
      "benchmark.html",
      page("Generators before and after refinement", lines, [...sheets, timed]),
    ),
  ];
  return { results, sheets, files };
}

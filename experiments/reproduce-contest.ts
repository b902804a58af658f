import { join } from "node:path";
import { writeFileWhole } from "../node/files.ts";
import type { WorkOptions } from "../src/types.ts";
import { VERSION } from "../src/version.ts";
import { type ContestResult, contest } from "./contest.ts";
import type { ContestOptions, Direction } from "./contest-setup.ts";
import {
  aboutContest,
  type ContestFile,
  type ContestTime,
  contestSheets,
  dominanceLines,
  timesSheet,
} from "./page-contest.ts";
import { page, type Sheet, sheetFiles } from "./present.ts";
import { asWorker, type Job, runQueue, stopIfAborted } from "./queue.ts";
import { reasonOf } from "./reason.ts";
import { available, type Request } from "./reproduce.ts";
import type { Scenario } from "./settings.ts";
import { keep, readKept } from "./store.ts";

/** Scenarios of the contest: every data set with an ensemble and a linear model; each runs on every split. */
export const CONTEST = ["german", "hotel", "compas", "heloc"].flatMap((data) => [
  `${data}-forest-knn`,
  `${data}-logistic-knn`,
]);
export const CONTEST_QUICK = ["german-forest-knn", "compas-logistic-knn"];

export interface ContestRequest extends Request {
  readonly splits: number;
  readonly rows: number;
  readonly retrains: number;
}

interface Outcome {
  readonly result?: ContestResult;
  readonly why?: string;
}

const DIRECTIONS: readonly Direction[] = ["wanted", "authors"];

/** One split in one direction: the smallest piece that is kept. */
type Part = Pick<ContestOptions, "split" | "direction">;

function partsOf({ splits }: ContestRequest): Part[] {
  return Array.from({ length: splits }, (_, split) =>
    DIRECTIONS.map((direction) => ({ split, direction })),
  ).flat();
}

function jobsOf(request: ContestRequest, scenarios: readonly Scenario[]): Job[] {
  const { seed, folder, out, rows, retrains, splits } = request;
  const parts = partsOf(request);
  return scenarios.map((scenario) => {
    const open = (): Part[] =>
      parts.filter((part) => readKept<Outcome>(partFile(request, scenario, part)) === undefined);
    return {
      name: scenario.id,
      done: () => open().length === 0,
      run: async (work: WorkOptions) => {
        const left = open();
        for (const [done, part] of left.entries()) {
          work.onProgress?.({ stage: scenario.id, done, total: left.length });
          stopIfAborted(work);
          const start = process.cpuUsage();
          const outcome = await attempt(scenario, { folder, seed, rows, retrains, ...part }, work);
          const { user, system } = process.cpuUsage(start);
          const path = partFile(request, scenario, part);
          keep(timeFile(path), (user + system) / 1e6);
          keep(path, outcome);
        }
      },
      argv: [
        ...["reproduce", "contest-scenario", "--scenarios", scenario.id],
        ...["--seed", String(seed), "--splits", String(splits)],
        ...["--data-dir", folder, "--out", out, "--workers", "1", ...(retrains < 10 ? ["--quick"] : [])],
      ],
    };
  });
}

function partFile({ out, seed, rows, retrains }: ContestRequest, { id }: Scenario, part: Part): string {
  const { split, direction } = part;
  const name = `${id}-split${split}-${direction}-rows${rows}-retrains${retrains}-seed${seed}.json`;
  return join(out, "contest", name);
}

/** CPU seconds of a part, apart from its result, which is the same on every machine. */
const timeFile = (path: string): string => path.replace(/\.json$/, "-times.json");

/** CPU seconds of every scenario, over the splits and directions whose time is known. */
function timesOf(request: ContestRequest, scenarios: readonly Scenario[]): ContestTime[] {
  return scenarios.map((scenario) => {
    const known = partsOf(request).flatMap(
      (part) => readKept<number>(timeFile(partFile(request, scenario, part))) ?? [],
    );
    return { scenario: scenario.id, parts: known.length, seconds: known.reduce((sum, s) => sum + s, 0) };
  });
}

async function attempt(scenario: Scenario, options: ContestOptions, work: WorkOptions): Promise<Outcome> {
  try {
    return { result: await contest(scenario, options, work) };
  } catch (error) {
    return { why: `${scenario.id}, split ${options.split}, ${options.direction}: ${reasonOf(error)}` };
  }
}

/** What a worker does. */
export const oneContest = (request: ContestRequest, work: WorkOptions): Promise<void> =>
  asWorker(jobsOf(request, request.scenarios), work);

/** The honest contest: every table as CSV and LaTeX, one page, and the results as JSON. */
export async function reproduceContest(
  request: ContestRequest,
  work: WorkOptions,
): Promise<{ results: ContestFile; sheets: Sheet[]; files: string[] }> {
  const scenarios = available(request);
  await runQueue(jobsOf(request, scenarios), request.workers, work, request.tell);
  const outcomes = scenarios.flatMap((scenario) =>
    partsOf(request).map((part) => readKept<Outcome>(partFile(request, scenario, part))!),
  );
  const results = outcomes.flatMap(({ result }) => (result ? [result] : []));
  const why = outcomes.flatMap((o) => (o.why ? [o.why] : []));
  for (const line of why) request.tell(`Not run: ${line}`);
  const sheets = contestSheets(results);
  const times = timesOf(request, scenarios);
  const { seed, splits, rows, retrains, out } = request;
  const json = {
    kind: "contest",
    version: VERSION,
    node: process.versions.node,
    seed,
    splits,
    rows,
    retrains,
    why,
    results,
  };
  const files: string[] = [];
  const write = (name: string, content: string): void => {
    writeFileWhole(join(out, name), content);
    files.push(join(out, name));
  };
  write("contest.json", `${JSON.stringify(json)}\n`);
  write("contest-times.json", `${JSON.stringify(times)}\n`);
  for (const [name, content] of sheetFiles([...sheets, timesSheet(times)])) write(name, content);
  const lines = [
    ...aboutContest({ splits, rows, retrains, why, results }),
    ...dominanceLines(results),
    ...why.map((line) => `Not run: ${line}`),
  ];
  write("contest.html", page("An honest contest", lines, sheets));
  return { results: json, sheets: [...sheets, timesSheet(times)], files };
}

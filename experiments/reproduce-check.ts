import { join } from "node:path";
import type { WorkOptions } from "../src/types.ts";
import { germanKnnSheet, germanKnnVerdict } from "./german-knn.ts";
import { page, type Sheet, sheetFiles } from "./present.ts";
import { asWorker, type KeptJob, keptJob, resultsOf } from "./queue.ts";
import {
  argvOf,
  available,
  headOf,
  linesOf,
  optionsOf,
  type Request,
  scenarioResults,
  write,
} from "./reproduce.ts";
import { type Agreement, agreementText, DRAWS, type Draw, draws, rerunSheet } from "./rerun.ts";
import type { ScenarioResult } from "./scenario.ts";
import type { Scenario } from "./settings.ts";

interface CheckRequest extends Request {
  /** Scenarios on which all methods are compared. */
  readonly germanKnn: readonly Scenario[];
}

/** What `check` found, as it is written to its results file. */
export interface CheckResults {
  readonly agreement: Agreement;
  readonly runs: number;
  readonly draws: Readonly<Record<string, readonly Draw[]>>;
  readonly germanKnn: readonly ScenarioResult[];
}

/**
 * The other program's rows of the authors' settings, checked over ten draws of (x, r); and all five methods of the
 * paper's table on German Credit with KNN.
 */
export async function reproduceCheck(
  request: CheckRequest,
  work: WorkOptions,
): Promise<{ results: CheckResults; sheets: Sheet[]; files: string[] }> {
  const known = available(request);
  const drawn = await resultsOf(drawsJobs(known, request), request, work);
  const found = new Map(known.map(({ id }, t) => [id, drawn[t]!]));
  const germanKnn = await scenarioResults({ ...request, scenarios: request.germanKnn }, work);
  const { sheet, agreement } = rerunSheet(found);
  const said = [agreementText(agreement), germanKnnVerdict(germanKnn)];
  for (const line of said) request.tell(line);
  const results = { ...headOf(request, "check"), agreement, draws: Object.fromEntries(found), germanKnn };
  const sheets = [sheet, germanKnnSheet(germanKnn)];
  const lines = [...linesOf(request), ...said];
  const files = [
    write(request, "check.json", `${JSON.stringify(results)}\n`),
    ...sheetFiles(sheets).map(([name, content]) => write(request, name, content)),
    write(request, "check.html", page("The authors' settings, checked", lines, sheets)),
  ];
  return { results, sheets, files };
}

function drawsJobs(scenarios: readonly Scenario[], request: Request): KeptJob<Draw[]>[] {
  const { out, preset, runs, seed } = request;
  return scenarios.map((scenario) =>
    keptJob(
      { name: scenario.id, argv: argvOf("draws", scenario, request) },
      join(out, "draws", `${preset}-${scenario.id}-runs${runs}-seed${seed}.json`),
      "rerun",
      (work) => draws(scenario, optionsOf(request), DRAWS, work),
    ),
  );
}

/** What a worker does. */
export const oneDraws = (request: Request, work: WorkOptions): Promise<void> =>
  asWorker(drawsJobs(request.scenarios, request), work);

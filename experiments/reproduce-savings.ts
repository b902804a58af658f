import { join } from "node:path";
import type { WorkOptions } from "../src/types.ts";
import { page, type Sheet, sheetFiles } from "./present.ts";
import { asWorker, type KeptJob, keptJob, resultsOf } from "./queue.ts";
import { argvOf, available, headOf, linesOf, optionsOf, type Request, write } from "./reproduce.ts";
import { type Saving, saving } from "./savings.ts";
import { savingsSheets, savingsVerdict } from "./savings-report.ts";
import { GENERATORS, MODELS, type Scenario } from "./settings.ts";

/** HELOC's many columns are more mixtures than a Gaussian process can be asked about in minutes. */
const tooSlow = (data: string, model: string): boolean => data === "heloc" && model === "gp";

/** German Credit and HELOC with every generator and every model. */
export const SAVINGS = ["german", "heloc"].flatMap((data) =>
  Object.keys(GENERATORS).flatMap((generator) =>
    MODELS.filter((model) => !tooSlow(data, model)).map((model) => `${data}-${model}-${generator}`),
  ),
);
export const SAVINGS_QUICK = ["german", "heloc"].flatMap((data) =>
  ["bagging", "logistic"].map((model) => `${data}-${model}-knn`),
);

/** What `savings` found, as it is written to its results file. */
export interface SavingsResults {
  readonly savings: readonly Saving[];
}

function jobsOf(scenarios: readonly Scenario[], request: Request): KeptJob<Saving>[] {
  const { out, preset, seed, runs } = request;
  return scenarios.map((scenario) =>
    keptJob(
      { name: scenario.id, argv: argvOf("saving", scenario, request) },
      join(out, "savings", `${preset}-${scenario.id}-runs${runs}-seed${seed}.json`),
      "savings",
      (work) => saving(scenario, optionsOf(request), work),
    ),
  );
}

/** What a worker does. */
export const oneSaving = (request: Request, work: WorkOptions): Promise<void> =>
  asWorker(jobsOf(request.scenarios, request), work);

/** What the joint choice saves against the paper's sampling: JSON, CSV, LaTeX and a page. */
export async function reproduceSavings(
  request: Request,
  work: WorkOptions,
): Promise<{ results: SavingsResults; sheets: Sheet[]; files: string[] }> {
  const savings = await resultsOf(jobsOf(available(request), request), request, work);
  const said = savingsVerdict(savings);
  for (const line of said) request.tell(line);
  const results = { ...headOf(request, "savings"), savings };
  const sheets = savingsSheets(savings);
  const files = [
    write(request, "savings.json", `${JSON.stringify(results)}\n`),
    ...sheetFiles(sheets).map(([name, content]) => write(request, name, content)),
    write(
      request,
      "savings.html",
      page("Edits saved against the paper's sampling", [linesOf(request)[0]!, ...said], sheets),
    ),
  ];
  return { results, sheets, files };
}

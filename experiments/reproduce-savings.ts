import { join } from "node:path";
import type { WorkOptions } from "../src/types.ts";
import { page, type Sheet, sheetCsv, sheetLatex } from "./present.ts";
import { endWithParent, type Job, runQueue } from "./queue.ts";
import { argvOf, available, headOf, linesOf, optionsOf, type Request, write } from "./reproduce.ts";
import { type Saving, saving } from "./savings.ts";
import { savingsSheets, savingsVerdict } from "./savings-report.ts";
import { GENERATORS, MODELS, type Scenario } from "./settings.ts";
import { keep, readKept } from "./store.ts";

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

function fileOf({ id }: Scenario, { out, preset, seed, runs }: Request): string {
  return join(out, "savings", `${preset}-${id}-runs${runs}-seed${seed}.json`);
}

const kept = (scenario: Scenario, request: Request): Saving | undefined =>
  readKept<Saving>(fileOf(scenario, request), "savings");

function jobOf(scenario: Scenario, request: Request): Job {
  return {
    name: scenario.id,
    done: () => kept(scenario, request) !== undefined,
    run: async (work) =>
      keep(fileOf(scenario, request), await saving(scenario, optionsOf(request), work), "savings"),
    argv: argvOf("saving", scenario, request),
  };
}

/** What a worker does. */
export async function oneSaving(request: Request, work: WorkOptions): Promise<void> {
  endWithParent();
  for (const scenario of request.scenarios) await jobOf(scenario, request).run(work);
}

/** What the joint choice saves against the paper's sampling: JSON, CSV, LaTeX and a page. */
export async function reproduceSavings(
  request: Request,
  work: WorkOptions,
): Promise<{ results: SavingsResults; sheets: Sheet[]; files: string[] }> {
  const scenarios = available(request);
  await runQueue(
    scenarios.map((scenario) => jobOf(scenario, request)),
    request.workers,
    work,
    request.tell,
  );
  const savings = scenarios.map((scenario) => kept(scenario, request)!);
  const said = savingsVerdict(savings);
  for (const line of said) request.tell(line);
  const results = { ...headOf(request, "savings"), savings };
  const sheets = savingsSheets(savings);
  const files = [
    write(request, "savings.json", `${JSON.stringify(results)}\n`),
    ...sheets.flatMap((sheet) => [
      write(request, `${sheet.name}.csv`, sheetCsv(sheet)),
      write(request, `${sheet.name}.tex`, sheetLatex(sheet)),
    ]),
    write(
      request,
      "savings.html",
      page("Edits saved against the paper's sampling", [...linesOf(request), ...said], sheets),
    ),
  ];
  return { results, sheets, files };
}

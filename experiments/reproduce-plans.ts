import { join } from "node:path";
import { writeFileWhole } from "../node/files.ts";
import { renderPng } from "../show/figures/png.ts";
import { renderSvg } from "../show/figures/svg.ts";
import type { WorkOptions } from "../src/types.ts";
import { VERSION } from "../src/version.ts";
import { type PlansResult, plans } from "./plans.ts";
import { survivalFigure } from "./plans-figure.ts";
import { PLANS, type PlansFile } from "./plans-points.ts";
import { aboutPlans, plansVerdict } from "./plans-report.ts";
import { type PlansOptions, type Retraining, TREES } from "./plans-setup.ts";
import { plansSheets } from "./plans-sheets.ts";
import { page, type Sheet, sheetFiles } from "./present.ts";
import { asWorker, type Job, runQueue } from "./queue.ts";
import { reasonOf } from "./reason.ts";
import { available, type Request } from "./reproduce.ts";
import { type Scenario, scenariosOf } from "./settings.ts";
import { keep, readKept } from "./store.ts";

const PLANS_QUICK = ["german-xgboost-knn", "compas-logistic-knn"];

/** Scores to be reached, the first by those who ask for nothing else. */
const LEVELS = [0.5, 0.6, 0.7, 0.8, 0.9];

interface PlansRequest extends Request, Pick<PlansOptions, "rows" | "also" | "judges" | "levels"> {
  readonly quick: boolean;
}

/** The request for plans: sizes in full or quick, and the scenarios unless others are named. */
export function plansRequest(
  request: Request,
  { quick = false, scenarios }: { readonly quick?: boolean; readonly scenarios?: readonly string[] },
): PlansRequest {
  const sizes = quick ? { rows: 15, also: 2, judges: 4 } : { rows: 100, also: 5, judges: 20 };
  const ids = scenarios ?? (quick ? PLANS_QUICK : PLANS);
  const levels = quick ? LEVELS.slice(0, 2) : LEVELS;
  return { ...request, ...sizes, scenarios: scenariosOf(ids), levels, quick };
}

interface Outcome {
  readonly result?: PlansResult;
  readonly why?: string;
}

/** Bookings have a date, so that their trees are judged by models of later months too. */
const retrainingsOf = ({ data, model }: Scenario): readonly Retraining[] =>
  data === "hotel" && TREES.includes(model) ? ["bootstrap", "later"] : ["bootstrap"];

interface Part {
  readonly path: string;
  readonly scenario: Scenario;
  readonly options: PlansOptions;
}

/** What is kept of a scenario: a file for each way of training again. */
function partsOf(scenario: Scenario, request: PlansRequest): Part[] {
  const { folder, seed, rows, also, judges, levels, out } = request;
  return retrainingsOf(scenario).map((retraining) => {
    const sizes = `rows${rows}-also${also}-judges${judges}-scores${levels.length}`;
    const path = join(out, "plans", `${scenario.id}-${retraining}-${sizes}-seed${seed}.json`);
    return { path, scenario, options: { folder, seed, rows, also, judges, levels, retraining } };
  });
}

function jobsOf(scenarios: readonly Scenario[], request: PlansRequest): Job[] {
  const { folder, seed, out, quick } = request;
  return scenarios.map((scenario) => {
    const open = (): Part[] =>
      partsOf(scenario, request).filter(({ path }) => readKept<Outcome>(path, "plans") === undefined);
    return {
      name: scenario.id,
      done: () => open().length === 0,
      run: async (work) => {
        for (const { path, options } of open()) keep(path, await attempt(scenario, options, work), "plans");
      },
      argv: [
        ...["reproduce", "plans-scenario", "--scenarios", scenario.id, "--seed", String(seed)],
        ...["--data-dir", folder, "--out", out, "--workers", "1", ...(quick ? ["--quick"] : [])],
      ],
    };
  });
}

async function attempt(scenario: Scenario, options: PlansOptions, work: WorkOptions): Promise<Outcome> {
  try {
    return { result: await plans(scenario, options, work) };
  } catch (error) {
    return { why: `${scenario.id}, ${options.retraining}: ${reasonOf(error)}` };
  }
}

/** What a worker does. */
export const onePlans = (request: PlansRequest, work: WorkOptions): Promise<void> =>
  asWorker(jobsOf(request.scenarios, request), work);

/** Plans over all legal values beside those of others, and what becomes of them when the model is trained again. */
export async function reproducePlans(
  request: PlansRequest,
  work: WorkOptions,
): Promise<{ results: PlansFile; sheets: Sheet[]; files: string[] }> {
  const scenarios = available(request);
  await runQueue(jobsOf(scenarios, request), request.workers, work, request.tell);
  const outcomes = scenarios.flatMap((scenario) =>
    partsOf(scenario, request).map(({ path }) => readKept<Outcome>(path, "plans")!),
  );
  const found = outcomes.flatMap(({ result }) => (result ? [result] : []));
  const why = outcomes.flatMap((outcome) => (outcome.why ? [outcome.why] : []));
  for (const line of why) request.tell(`Not run: ${line}`);
  const { rows, also, judges, seed, out } = request;
  const results = { rows, also, judges, why, results: found };
  const head = { kind: "plans", version: VERSION, node: process.versions.node, seed };
  const sheets = plansSheets(found);
  const said = plansVerdict(found);
  for (const line of said) request.tell(line);
  const files: string[] = [];
  const write = (name: string, content: string | Uint8Array): void => {
    writeFileWhole(join(out, name), content);
    files.push(join(out, name));
  };
  write("plans.json", `${JSON.stringify({ ...head, ...results })}\n`);
  for (const [name, content] of sheetFiles(sheets)) write(name, content);
  const figure = survivalFigure(found);
  const drawn = figure ? await renderSvg(figure) : undefined;
  if (drawn) {
    write("images/edits-survival.svg", drawn);
    write("images/edits-survival.png", await renderPng(drawn));
  }
  const figures = drawn ? [{ title: figure!.title, svg: drawn }] : [];
  const lines = [...aboutPlans(results), ...said, ...why.map((line) => `Not run: ${line}`)];
  write("plans.html", page("Plans over all legal values", lines, sheets, figures));
  return { results, sheets, files };
}

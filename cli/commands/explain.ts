import { writeFileWhole } from "../../node/files.ts";
import { formatNumber } from "../../show/sentences.ts";
import { startWork } from "../../src/budget.ts";
import { scorer } from "../../src/model/scorer.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { reachOf } from "../../src/model/target.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { referencesFor } from "../../src/run/choices.ts";
import type { Model, Target, WorkOptions } from "../../src/types.ts";
import { type Loaded, loadData } from "../inputs.ts";
import { loadModelOption, loadTarget } from "../model-input.ts";
import { CONSTRAINTS, type Given, MODEL, RUN, TABLE } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { checkNames, tell } from "../tell.ts";

/** From a table to plans: train or load a model, make counterfactuals, refine them, tell and write the result. */
export const explainCommand: CommandSpec = {
  name: "explain",
  summary: "from a table to the few edits that change the decision",
  options: [
    ...TABLE,
    ...CONSTRAINTS,
    ...MODEL,
    "saveSchema",
    "target",
    "generator",
    "coupling",
    "reuse",
    "capped",
    "policy",
    "objective",
    "budget",
    "perRow",
    "effect",
    "rows",
    "out",
    "formats",
    "plainCsv",
    "reasons",
    "locale",
    "alternatives",
    "shardRows",
    "dryRun",
    ...RUN,
  ],
  examples: [
    "cola explain",
    "cola explain --data loans.csv --label granted --model forest --freeze age --target yes",
    "cola explain --dataset german --data-dir data --model forest",
    "cola explain --data loans.csv --model model.json --target 'score >= 0.7' --json",
    "cola explain --data loans.csv --model 'command:python score.py' --target 'score >= 0.7'",
  ],
  run: (given) => withWork(given, (work) => run(given, work)),
};

async function run(given: Given, work: WorkOptions): Promise<number> {
  checkNames(given);
  const data = await loadData(given, work);
  if (given.saveSchema) writeFileWhole(given.saveSchema, `${JSON.stringify(data.schema, null, 2)}\n`);
  const loaded = await loadModelOption(given, data, work);
  try {
    const { model, title } = loaded;
    const target = loadTarget(given, model);
    const chosen = await rowsShortOf(model, data.rows, target, given.rows ?? 10, work);
    const x = takeRows(data.rows, chosen);
    if (given.dryRun) return await dryRun({ data, model, title, target, rows: x.rows }, given, work);
    const task = { model, x, references: data.rows, constraints: data.constraints, target };
    const made =
      chosen.length === 0
        ? { references: data.rows }
        : await referencesFor(task, given, work).catch((error: unknown) => {
            if (!work.signal?.aborted) throw error;
            return { references: data.rows }; // Ctrl-C: the result says of every row that it was not reached
          });
    return await tell(given, work, { data, model, title, target, chosen, x, ...made });
  } finally {
    loaded.close();
  }
}

/** Rows scored to see how long the model takes. */
const SAMPLE = 256;

/**
 * What the run would ask of the model at the least: every row is scored to find those that miss the target, and of
 * these the row, its plan and what is returned. What the search asks beyond that is known only to the search.
 */
async function dryRun(its: Planned, given: Given, work: WorkOptions): Promise<number> {
  const { data, model, title, target, rows } = its;
  const features = data.constraints.editable.reduce((sum, flag) => sum + flag, 0);
  const timed = Math.min(SAMPLE, Math.max(1, rows));
  const sample = takeRows(
    data.rows,
    Int32Array.from({ length: timed }, (_, i) => i),
  );
  const start = performance.now();
  await scorer(model, startWork("score", work)).score(sample);
  const secondsPerRow = (performance.now() - start) / 1000 / timed;
  const outputs = reachOf(model, target).outputs.length;
  const modelRowsAtLeast = data.rows.rows * outputs + 3 * rows * (given.effect === undefined ? outputs : 1);
  const plan = {
    source: data.source,
    model: title,
    rows,
    editableFeatures: features,
    generator: given.generator ?? "knn",
    modelRowsAtLeast,
    modelSecondsAtLeast: Number((modelRowsAtLeast * secondsPerRow).toPrecision(2)),
  };
  process.stdout.write(given.json ? `${JSON.stringify(plan)}\n` : dryText(plan, timed));
  return EXIT.ok;
}

interface Planned {
  readonly data: Loaded;
  readonly model: Model;
  readonly title: string;
  readonly target: Target;
  /** Rows that would be explained. */
  readonly rows: number;
}

function dryText(plan: Readonly<Record<string, string | number>>, timed: number): string {
  const told = (name: string): string => {
    const value = plan[name]!;
    return typeof value === "number" ? formatNumber(value) : value;
  };
  return `${told("source")}, ${told("model")}: ${told("rows")} rows would be explained, ${told("editableFeatures")} features may change, counterfactuals by ${told("generator")}.
The model would score at least ${told("modelRowsAtLeast")} rows, in about ${told("modelSecondsAtLeast")} s, as measured on ${timed} of them. The search for plans scores more, often many times as many; how many is not known before. --timeout bounds the run. Nothing was done.
`;
}

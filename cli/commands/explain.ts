import { writeFileWhole } from "../../node/files.ts";
import { formatNumber } from "../../show/sentences.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { NEIGHBOURS, referencesFor } from "../../src/run/choices.ts";
import type { Matrix, WorkOptions } from "../../src/types.ts";
import { type Loaded, loadData } from "../inputs.ts";
import { type LoadedModel, loadModelOption, loadTarget } from "../model-input.ts";
import { CONSTRAINTS, type Given, MODEL, RUN, TABLE } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { checkNames, localeOf, tell } from "../tell.ts";

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
  ],
  run: (given) => withWork(given, (work) => run(given, work)),
};

async function run(given: Given, work: WorkOptions): Promise<number> {
  checkNames(given);
  const data = await loadData(given);
  if (given.saveSchema) writeFileWhole(given.saveSchema, `${JSON.stringify(data.schema, null, 2)}\n`);
  const loaded = await loadModelOption(given, data, work);
  try {
    const { model, title } = loaded;
    const target = loadTarget(given, model);
    const chosen = await rowsShortOf(model, data.rows, target, given.rows ?? 10, work);
    if (chosen.length === 0) {
      process.stdout.write(given.json ? "[]\n" : `${localeOf(given).words.textNothing}\n`);
      return EXIT.ok;
    }
    const x = takeRows(data.rows, chosen);
    if (given.dryRun) return await dryRun(given, data, loaded, x);
    const task = { model, x, references: data.rows, constraints: data.constraints, target };
    const made = await referencesFor(task, given, work).catch((error: unknown) => {
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

/** What the run would ask of the model, measured on some of its rows. */
async function dryRun(given: Given, data: Loaded, { model, title }: LoadedModel, x: Matrix): Promise<number> {
  const features = data.constraints.editable.reduce((sum, flag) => sum + flag, 0);
  const sample = takeRows(
    x,
    Array.from({ length: Math.min(SAMPLE, x.rows) }, (_, i) => i),
  );
  const start = performance.now();
  await model.predict(sample);
  const secondsPerRow = (performance.now() - start) / 1000 / sample.rows;
  const modelRowsAtMostAbout = x.rows * (NEIGHBOURS * features + features ** 2 + 4);
  const plan = {
    source: data.source,
    model: title,
    rows: x.rows,
    editableFeatures: features,
    generator: given.generator ?? "knn",
    modelRowsAtMostAbout,
    modelSecondsAtMostAbout: Number((modelRowsAtMostAbout * secondsPerRow).toPrecision(2)),
  };
  process.stdout.write(given.json ? `${JSON.stringify(plan)}\n` : dryText(plan, sample.rows));
  return EXIT.ok;
}

function dryText(plan: Readonly<Record<string, string | number>>, timed: number): string {
  const told = (name: string): string => {
    const value = plan[name]!;
    return typeof value === "number" ? formatNumber(value) : value;
  };
  return `${told("source")}, ${told("model")}: ${told("rows")} rows would be explained, ${told("editableFeatures")} features may change, counterfactuals by ${told("generator")}.
The model would score at most about ${told("modelRowsAtMostAbout")} rows, in about ${told("modelSecondsAtMostAbout")} s, as measured on ${timed} of them. Nothing was done.
`;
}

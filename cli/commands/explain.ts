import { writeFileWhole } from "../../node/files.ts";
import { generate } from "../../src/generate/registry.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { WorkOptions } from "../../src/types.ts";
import { type Loaded, loadData } from "../inputs.ts";
import { loadModelOption, loadTarget } from "../model-input.ts";
import { CONSTRAINTS, type Given, MODEL, RUN, TABLE } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { checkNames, tell } from "../tell.ts";

/** Neighbours the default generator offers each row to borrow from. */
const NEIGHBOURS = 16;

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
    "policy",
    "budget",
    "perRow",
    "effect",
    "rows",
    "out",
    "formats",
    "reasons",
    "alternatives",
    "shardRows",
    "dryRun",
    ...RUN,
  ],
  examples: [
    "cola explain",
    "cola explain --data loans.csv --label granted --model forest --freeze age --target yes",
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
      process.stdout.write(
        given.json ? "[]\n" : "Every row reaches the target already; there is nothing to explain.\n",
      );
      return EXIT.ok;
    }
    if (given.dryRun) return dryRun(given, data, title, chosen.length);
    const x = takeRows(data.rows, chosen);
    const name = given.generator ?? "knn";
    const options = name === "knn" ? { ...work, neighbours: NEIGHBOURS } : work;
    const task = { model, x, references: data.rows, constraints: data.constraints, target };
    const made = await generate(name, task, options, stream(given.seed ?? 0, "generate"));
    const some = made.rows.rows > 0;
    return await tell(given, work, {
      data,
      model,
      title,
      target,
      chosen,
      x,
      references: some ? made.rows : data.rows,
      ...(some && made.pairs ? { pairs: made.pairs } : {}),
    });
  } finally {
    loaded.close();
  }
}

function dryRun(given: Given, data: Loaded, title: string, rows: number): number {
  const features = data.constraints.editable.reduce((sum, flag) => sum + flag, 0);
  const plan = {
    source: data.source,
    model: title,
    rows,
    editableFeatures: features,
    generator: given.generator ?? "knn",
    modelRowsAtMostAbout: rows * (NEIGHBOURS * features + features ** 2 + 4),
  };
  const lines = Object.entries(plan).map(([key, value]) => `${key}: ${value}\n`);
  process.stdout.write(given.json ? `${JSON.stringify(plan)}\n` : lines.join(""));
  return EXIT.ok;
}

import pc from "picocolors";
import { explanationText, type Paint } from "../../show/text.ts";
import { startWork } from "../../src/budget.ts";
import { explain } from "../../src/explain.ts";
import { generate } from "../../src/generate/registry.ts";
import { scorer } from "../../src/model/scorer.ts";
import { reachOf } from "../../src/model/target.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Goal, Matrix, Model, Target, WorkOptions } from "../../src/types.ts";
import { type Loaded, loadData, loadModelOption, loadTarget } from "../inputs.ts";
import type { Given } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { writeResults } from "../results.ts";
import { exitCodeFor, withWork } from "../run.ts";

export const paint: Paint = { bold: pc.bold, dim: pc.dim, good: pc.green, bad: pc.red };

/** Neighbours the default generator offers each row to borrow from. */
const NEIGHBOURS = 16;

/** From a table to plans: train or load a model, make counterfactuals, refine them, tell and write the result. */
export const explainCommand: CommandSpec = {
  name: "explain",
  summary: "from a table to the few edits that change the decision",
  options: [
    "data",
    "label",
    "id",
    "schema",
    "constraints",
    "freeze",
    "vary",
    "model",
    "encoding",
    "outputs",
    "protocol",
    "modelName",
    "authEnv",
    "target",
    "generator",
    "coupling",
    "policy",
    "budget",
    "perRow",
    "effect",
    "rows",
    "seed",
    "timeout",
    "missing",
    "maxRows",
    "maxBytes",
    "out",
    "json",
    "dryRun",
  ],
  examples: [
    "cola explain",
    "cola explain --data loans.csv --label granted --model forest --freeze age --target yes",
    "cola explain --data loans.csv --model model.json --target 'score >= 0.7' --json",
  ],
  run: (given) => withWork(given, (work) => run(given, work)),
};

async function run(given: Given, work: WorkOptions): Promise<number> {
  const data = await loadData(given);
  const loaded = await loadModelOption(given, data, work);
  try {
    const { model } = loaded;
    const target = loadTarget(given, model);
    const chosen = await rowsShortOf(model, data.rows, target, given.rows ?? 10, work);
    const x = takeRows(data.rows, chosen);
    if (given.dryRun) return dryRun(given, data, loaded.title, chosen.length);
    const name = given.generator ?? "knn";
    const options = name === "knn" ? { ...work, neighbours: NEIGHBOURS } : work;
    const task = { model, x, references: data.rows, constraints: data.constraints, target };
    const made = await generate(name, task, options, stream(given.seed ?? 0, "generate"));
    const goal: Goal =
      given.effect === undefined ? { kind: "each", target } : { kind: "group", level: given.effect };
    const ids = data.ids ? { ids: chosen.map((i) => data.ids![i]!) } : { ids: chosen };
    const explanation = await explain({
      ...work,
      model,
      x,
      references: made.rows.rows > 0 ? made.rows : data.rows,
      training: data.rows,
      schema: data.schema,
      goal,
      seed: given.seed ?? 0,
      ...ids,
      ...(made.pairs && made.rows.rows > 0 ? { pairs: made.pairs } : {}),
      ...(given.coupling ? { coupling: given.coupling } : {}),
      ...(given.policy && !(given.effect !== undefined && given.policy === "minimal")
        ? { policy: given.policy }
        : {}),
      budget: {
        ...(given.budget === undefined ? {} : { total: given.budget }),
        ...(given.perRow === undefined ? {} : { perRow: given.perRow }),
      },
    });
    const files = await writeResults(given.out ?? "out", explanation);
    if (given.json) process.stdout.write(`${JSON.stringify(explanation)}\n`);
    else {
      for (const note of data.notes) process.stdout.write(`${paint.dim(note)}\n`);
      process.stdout.write(`${heading(data, loaded.title, explanation.totals.rows)}\n\n`);
      process.stdout.write(`${explanationText(explanation, { paint })}\n\nWritten: ${files.join(", ")}\n`);
    }
    return exitCodeFor(explanation);
  } finally {
    loaded.close();
  }
}

function heading(data: Loaded, title: string, rows: number): string {
  return `${data.source} (${data.rows.rows} rows), ${title}: the first ${rows} rows that miss the target.`;
}

function dryRun(given: Given, data: Loaded, title: string, rows: number): number {
  const features = data.constraints.editable.reduce((sum, flag) => sum + flag, 0);
  const calls = rows * (NEIGHBOURS * features + features ** 2 + 4);
  const plan = {
    source: data.source,
    model: title,
    rows,
    editableFeatures: features,
    generator: given.generator ?? "knn",
    modelRowsAtMostAbout: calls,
  };
  process.stdout.write(
    given.json
      ? `${JSON.stringify(plan)}\n`
      : `${Object.entries(plan)
          .map(([key, value]) => `${key}: ${value}`)
          .join("\n")}\n`,
  );
  return 0;
}

/** The first `count` rows that the model does not put at the target. */
async function rowsShortOf(
  model: Model,
  rows: Matrix,
  target: Target,
  count: number,
  work: WorkOptions,
): Promise<number[]> {
  const reach = reachOf(model, target);
  const ask = scorer(model, startWork("score", work));
  const scores: Float64Array[] = [];
  for (const output of reach.outputs) scores.push(await ask.score(rows, output));
  return Array.from({ length: rows.rows }, (_, i) => i)
    .filter((i) => !reach.reached(reach.slack(scores, i)))
    .slice(0, count);
}

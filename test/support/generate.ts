import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loans } from "../../src/data/loans.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import type { Generated, Task } from "../../src/generate/contract.ts";
import { type GeneratorMethod, generators } from "../../src/generate/registry.ts";
import { asModel } from "../../src/model/contract.ts";
import { rowOf, takeCols, takeRows } from "../../src/num/matrix.ts";
import { fitForest } from "../../src/train/forest.ts";
import { fitLogistic } from "../../src/train/logistic.ts";
import { fitMlp } from "../../src/train/mlp.ts";
import type { Feature, Matrix, Model, Schema } from "../../src/types.ts";

/** Which features of the embedded loans make up a data set. */
const SETS = {
  numeric: (f: Feature) => f.kind === "numeric" || f.kind === "integer",
  mixed: () => true,
  levels: (f: Feature) => f.kind !== "numeric" && f.kind !== "integer",
} as const;

export type SetName = keyof typeof SETS;
export const setNames = Object.keys(SETS) as SetName[];

const FITS = {
  logistic: (x: Matrix, y: Int32Array) => fitLogistic(x, y),
  forest: (x: Matrix, y: Int32Array) => fitForest(x, y, { trees: 30 }, 1),
  mlp: (x: Matrix, y: Int32Array) => fitMlp(x, y, { hidden: [12], epochs: 40, rate: 0.01 }, 1),
} as const;

export type FitName = keyof typeof FITS;
export const fitNames = Object.keys(FITS) as FitName[];

const made = new Map<string, Task>();

/** 20 refused applications of the embedded loans, without any constraint but the kinds of the features. */
export async function loanTask(set: SetName, fit: FitName): Promise<Task> {
  const key = `${set} ${fit}`;
  const known = made.get(key);
  if (known) return known;
  const { table, schema: full, labels } = loans({ rows: 700, seed: 5 });
  const all = tableToMatrix(full, table);
  const columns = full.features.flatMap((f, k) => (SETS[set](f) ? [k] : []));
  const schema: Schema = { features: columns.map((k) => free(full.features[k]!)) };
  const rows = takeCols(all, columns);
  const known500 = Int32Array.from({ length: 500 }, (_, i) => i);
  const references = takeRows(rows, known500);
  const encoder = fitEncoder(schema, references);
  const inner = await FITS[fit](encodeRows(encoder, references), labels.slice(0, 500));
  const constraints = compileConstraints(schema);
  const model: Model = bind(inner, encoder, constraints);
  const scores = await model.predict(rows, 1);
  const refused = Array.from({ length: 200 }, (_, t) => 500 + t).filter((i) => scores[i]! <= 0.5);
  const task: Task = {
    model,
    x: takeRows(rows, refused.slice(0, 20)),
    references,
    constraints,
    target: { class: 1 },
  };
  made.set(key, task);
  return task;
}

function free({ name, kind, categories }: Feature): Feature {
  return categories ? { name, kind, categories } : { name, kind };
}

/** The generators that search row by row; those for a whole group have tests of their own. */
export const rowWise = Object.entries<GeneratorMethod>(generators).filter(([, { group }]) => !group);

/** A task over a plain function of the cells, references on a grid. */
export function plainTask(
  schema: Schema,
  x: Matrix,
  references: Matrix,
  score: (row: Float64Array) => number,
): Task {
  return {
    model: (rows) => Array.from({ length: rows.rows }, (_, i) => score(rowOf(rows, i))),
    x,
    references,
    constraints: compileConstraints(schema),
    target: { above: 0.5 },
  };
}

/** Cells in which each returned row differs from its factual row. */
export function editsPerRow(task: Task, { rows, pairs }: Generated): number[] {
  return Array.from({ length: rows.rows }, (_, t) => {
    const x = rowOf(task.x, pairs![t]!);
    return rowOf(rows, t).reduce((sum, v, k) => sum + Number(!task.constraints.same(k, x[k]!, v)), 0);
  });
}

/** A model that counts its calls and rows. */
export function counting(task: Task): { task: Task; calls: number[] } {
  const model = asModel(task.model);
  const calls: number[] = [];
  const predict: Model["predict"] = (rows, output) => {
    calls.push(rows.rows);
    return model.predict(rows, output);
  };
  return { task: { ...task, model: { ...model, predict } }, calls };
}

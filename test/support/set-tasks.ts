import { readFileSync } from "node:fs";
import { compileConstraints } from "../../src/data/constraints.ts";
import { readCsv } from "../../src/data/csv.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { plainSchema } from "../../src/data/schema.ts";
import { dataSet, prepareSet } from "../../src/data/sets/registry.ts";
import { splitRows } from "../../src/data/split.ts";
import type { Task } from "../../src/generate/contract.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitForest } from "../../src/train/forest.ts";
import { fitMlp } from "../../src/train/mlp.ts";
import type { Feature, Matrix, Model, Schema, Table } from "../../src/types.ts";
import { dataFile } from "./fixtures.ts";

export const hasSet = (name: string): boolean => dataFile(dataSet(name).info.file) !== undefined;

function tableOf(name: string): Table {
  return readCsv(readFileSync(dataFile(dataSet(name).info.file)!, "utf8"), { dropRepeated: true });
}

/** The rows a model puts into a class, the first `most` of them. */
function rowsIn(model: Model, rows: Matrix, positive: boolean, most: number): Matrix {
  const scores = model.predict(rows, 1) as Float64Array;
  const mine = [...scores.keys()].filter((i) => scores[i]! > 0.5 === positive);
  return takeRows(rows, mine.slice(0, most));
}

function both(a: Matrix, b: Matrix): Matrix {
  return { data: Float64Array.from([...a.data, ...b.data]), rows: a.rows + b.rows, cols: a.cols };
}

/**
 * The experiments' columns, standardised, under the models of the paper: x are rows the model puts into the
 * factual class 1 (test rows first), the target is class 0. With `atTarget` x are rows of class 0, which is
 * whom the authors' direction moves.
 */
export function presetTask(
  name: string,
  kind: "forest" | "dnn",
  most: number,
  options: { readonly atTarget?: boolean; readonly trees?: number } = {},
): Task {
  const set = prepareSet(name, dataSet(name).preset(tableOf(name)), "authors");
  const model =
    kind === "dnn"
      ? fitMlp(set.train, set.trainLabels, { variant: "authors" }, 0)
      : fitForest(set.train, set.trainLabels, { trees: options.trees ?? 100 }, 0);
  return {
    model,
    x: rowsIn(model, both(set.test, set.train), !options.atTarget, most),
    references: set.train,
    constraints: compileConstraints(plainSchema(set.train.cols)),
    target: { class: 0 },
  };
}

/** The business features, every one free to change, under a model of one-hot columns. */
export function productTask(
  name: string,
  kind: "forest" | "dnn",
  most: number,
  options: { readonly atTarget?: boolean; readonly trees?: number } = {},
): Task {
  const product = dataSet(name).product(tableOf(name));
  const schema: Schema = { features: product.schema.features.map(free) };
  const { train, test } = splitRows(product.rows.rows, 0.2, stream(0, "set", name));
  const references = takeRows(product.rows, train);
  const labels = Int32Array.from(train, (i) => product.labels[i]!);
  const encoder = fitEncoder(schema, references);
  const columns = encodeRows(encoder, references);
  const inner =
    kind === "dnn"
      ? fitMlp(columns, labels, { variant: "authors" }, 0)
      : fitForest(columns, labels, { trees: options.trees ?? 100 }, 0);
  const constraints = compileConstraints(schema);
  const model = bind(inner, encoder, constraints);
  const rows = takeRows(product.rows, test);
  const x = rowsIn(model, rows, options.atTarget ?? false, most);
  return { model, x, references, constraints, target: { class: 1 } };
}

/** The authors' encoding has no order of levels. */
function free({ name, kind, categories, label, unit }: Feature): Feature {
  const nominal = kind === "ordinal" ? "categorical" : kind;
  return {
    name,
    kind: nominal,
    ...(categories ? { categories } : {}),
    ...(label ? { label } : {}),
    ...(unit ? { unit } : {}),
  };
}

import { readSetTable } from "../node/sets.ts";
import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { bind, type EncodeOptions, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import type { ProductSet } from "../src/data/sets/contract.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import { takeRows } from "../src/num/matrix.ts";
import type { Random } from "../src/num/random.ts";
import { fit, type ModelName, models } from "../src/train/registry.ts";
import type { Matrix, Model, Schema, Target, WorkOptions } from "../src/types.ts";
import type { DataName } from "./settings.ts";

/** Rows of a data set parted for an experiment, and how models are trained on them. */
export interface Ground {
  readonly constraints: Constraints;
  readonly model: Model;
  readonly train: Matrix;
  /** Held-out rows. */
  readonly test: Matrix;
  /** A model like the first, trained on other rows of the data set. */
  learn(rows: ArrayLike<number>, name: string): Promise<Model>;
  /** Rows of the data set that the model was trained on. */
  readonly part: Int32Array;
}

/** What is trained and on which rows; `order`: rows of the data set, held-out ones first. */
export interface GroundOptions {
  readonly set: ProductSet;
  readonly schema: Schema;
  readonly kind: ModelName;
  readonly order: Int32Array;
  readonly fit?: object;
  /** How the table is encoded; `shared`: once for all models. */
  readonly encoding: EncodeOptions & { readonly shared?: boolean };
}

/** Training rows at most; the larger data sets are drawn down to it. */
const TRAIN_ROWS = 10_000;

/** The data set as the product reads it. */
export async function productSet(name: DataName, folder: string): Promise<ProductSet> {
  if (name === "loans") {
    const { table, labels } = loans();
    return { schema: loanSchema, rows: tableToMatrix(loanSchema, table), labels, classes: loanClasses };
  }
  const { info, product } = dataSet(name);
  return product(await readSetTable(info, folder));
}

/** Raw numbers with gaps where the model can read them, else standardised ones. */
export const rawWhereAble = (kind: ModelName): EncodeOptions =>
  models[kind].missing ? { numeric: "raw", missing: "keep" } : {};

/** Holds out three rows in ten and trains on the rest. */
export async function openGround(
  { set, schema, kind, order, fit: settings, encoding: { shared, ...encoding } }: GroundOptions,
  random: Random,
  { signal }: WorkOptions = {},
): Promise<Ground> {
  const constraints = compileConstraints(schema);
  const cut = Math.ceil(0.3 * order.length);
  const part = order.subarray(cut, Math.min(order.length, cut + TRAIN_ROWS));
  const train = takeRows(set.rows, part);
  const common = shared ? fitEncoder(schema, train, encoding) : undefined;
  const learn = async (rows: ArrayLike<number>, name: string): Promise<Model> => {
    const own = takeRows(set.rows, rows);
    const encoder = common ?? fitEncoder(schema, own, encoding);
    const y = Int32Array.from(rows, (i) => set.labels[i]!);
    const options = { ...settings, classes: [...set.classes], ...(signal ? { signal } : {}) };
    const model = await fit(kind, encodeRows(encoder, own), y, options, random.split("fit", name));
    return bind(model, encoder, constraints);
  };
  const model = await learn(part, "model");
  return { constraints, model, train, test: takeRows(set.rows, order.subarray(0, cut)), learn, part };
}

/** So many of the rows, drawn with replacement. */
export const bootstrapOf = (rows: Int32Array, count: number, random: Random): Int32Array =>
  Int32Array.from({ length: count }, () => rows[random.int(rows.length)]!);

/** Held-out rows that miss the target, drawn at random. */
export async function refusedRows(
  { model, test }: Pick<Ground, "model" | "test">,
  target: number,
  wanted: number,
  random: Random,
): Promise<Matrix> {
  const scores = await model.predict(test, target);
  const short = Int32Array.from(scores, (_, i) => i).filter((i) => !(scores[i]! > 0.5));
  const picked = random.sample(short.length, Math.min(wanted, short.length));
  return takeRows(
    test,
    picked.map((t) => short[t]!),
  );
}

/** The class a person would want. */
export const WANTED: Target = { class: 1 };

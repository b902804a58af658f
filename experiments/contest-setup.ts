import { readSetTable } from "../node/sets.ts";
import { type Constraints, compileConstraints } from "../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { loanClasses, loanSchema, loans } from "../src/data/loans.ts";
import { fitMetric, type Metric } from "../src/data/metric.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import type { ProductSet } from "../src/data/sets/contract.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import { ColaError } from "../src/errors.ts";
import { generate } from "../src/generate/registry.ts";
import { takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { fit, models } from "../src/train/registry.ts";
import type { Matrix, Model, Target, WorkOptions } from "../src/types.ts";
import { type DataName, GENERATORS, type Scenario } from "./settings.ts";
import { generatorOptions } from "./setup.ts";

/** The direction of a contest: what a person would want with protected features frozen, or the authors' class 0 with none. */
export type Direction = "wanted" | "authors";

export interface ContestOptions {
  readonly folder: string;
  readonly seed: number;
  readonly split: number;
  readonly direction: Direction;
  /** Factual rows. */
  readonly rows: number;
  /** Bootstrap models that judge the plans again. */
  readonly retrains: number;
}

/** A contest before anybody has run: table rows, business features, a model over them, and references. */
export interface Arena {
  readonly constraints: Constraints;
  readonly metric: Metric;
  readonly model: Model;
  readonly target: Target;
  readonly targetClass: number;
  readonly train: Matrix;
  readonly x: Matrix;
  /** One counterfactual of the scenario's generator for each row of x. */
  readonly r: Matrix;
  readonly pairs: Int32Array;
  readonly judges: readonly Model[];
}

/** Training rows at most; the larger data sets are drawn down to it. */
const TRAIN_ROWS = 10_000;
const JUDGE_ROWS = 2000;
/** Classes the authors' programs aim at, in the product's coding. */
const AUTHORS_TARGET: Readonly<Record<DataName, number>> = {
  german: 1,
  hotel: 1,
  compas: 0,
  heloc: 0,
  loans: 1,
};

async function productSet(name: DataName, folder: string): Promise<ProductSet> {
  if (name === "loans") {
    const { table, labels } = loans();
    return { schema: loanSchema, rows: tableToMatrix(loanSchema, table), labels, classes: loanClasses };
  }
  const { info, product } = dataSet(name);
  return product(await readSetTable(info, folder));
}

/** Splits, trains, draws rows that miss the target, and finds their references. */
export async function openArena(
  scenario: Scenario,
  options: ContestOptions,
  work: WorkOptions = {},
): Promise<Arena> {
  const { seed, split, direction, rows: wanted, retrains } = options;
  const random = stream(seed, "contest", scenario.id, split);
  const signal = work.signal ? { signal: work.signal } : {};
  const set = await productSet(scenario.data, options.folder);
  const schema =
    direction === "wanted"
      ? set.schema
      : { ...set.schema, features: set.schema.features.map(({ immutable: _, ...feature }) => feature) };
  const constraints = compileConstraints(schema);
  const order = random.split("split").permutation(set.rows.rows);
  const cut = Math.ceil(0.3 * order.length);
  const part = order.subarray(cut, Math.min(order.length, cut + TRAIN_ROWS));
  const train = takeRows(set.rows, part);
  const known = Int32Array.from(part, (i) => set.labels[i]!);
  const options0 = models[scenario.model].missing ? ({ numeric: "raw", missing: "keep" } as const) : {};
  const learn = async (of: Int32Array, name: string): Promise<Model> => {
    const own = takeRows(train, of);
    const encoder = fitEncoder(schema, own, options0);
    const y = Int32Array.from(of, (t) => known[t]!);
    const model = await fit(
      scenario.model,
      encodeRows(encoder, own),
      y,
      { classes: [...set.classes], ...signal },
      random.split("fit", name),
    );
    return bind(model, encoder, constraints);
  };
  const model = await learn(
    Int32Array.from(part, (_, t) => t),
    "model",
  );
  const targetClass = direction === "wanted" ? 1 : AUTHORS_TARGET[scenario.data];
  const target: Target = { class: targetClass };
  const test = takeRows(set.rows, order.subarray(0, cut));
  const scores = await model.predict(test, targetClass);
  const short = Int32Array.from(scores, (_, i) => i).filter((i) => !(scores[i]! > 0.5));
  const picked = random.split("factuals").sample(short.length, Math.min(wanted, short.length));
  const x = takeRows(
    test,
    picked.map((t) => short[t]!),
  );
  const task = { model, x, references: train, constraints, target };
  const name = GENERATORS[scenario.generator].generator as string;
  const given = { ...generatorOptions(scenario), ...signal };
  const made = await generate(name, task, given, random.split("generate"));
  const served = Int32Array.from(new Set(made.pairs!)).sort();
  if (served.length < 5)
    throw new ColaError(
      "INPUT_EMPTY",
      `${name} has a legal row at the target for ${served.length} rows only`,
    );
  const judges: Model[] = [];
  for (let t = 0; t < retrains; t++) {
    const own = random.split("judge", t);
    const size = Math.min(part.length, JUDGE_ROWS);
    judges.push(
      await learn(
        Int32Array.from({ length: size }, () => own.int(part.length)),
        `judge ${t}`,
      ),
    );
  }
  return {
    constraints,
    metric: fitMetric(schema, train),
    model,
    target,
    targetClass,
    train,
    x: takeRows(x, served),
    r: takeRows(
      made.rows,
      served.map((i) => made.pairs!.indexOf(i)),
    ),
    pairs: served.map((_, t) => t),
    judges,
  };
}

import type { Constraints } from "../src/data/constraints.ts";
import { fitMetric, type Metric } from "../src/data/metric.ts";
import { ColaError } from "../src/errors.ts";
import { generate } from "../src/generate/registry.ts";
import { takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import type { Matrix, Model, Target, WorkOptions } from "../src/types.ts";
import { bootstrapOf, openGround, productSet, rawWhereAble, refusedRows } from "./ground.ts";
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

/** Classes the authors' programs aim at, in the product's coding. */
const AUTHORS_TARGET: Readonly<Record<DataName, number>> = {
  german: 1,
  hotel: 1,
  compas: 0,
  heloc: 0,
  loans: 1,
};

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
  const order = random.split("split").permutation(set.rows.rows);
  const encoding = rawWhereAble(scenario.model);
  const ground = await openGround({ set, schema, kind: scenario.model, order, encoding }, random, signal);
  const { constraints, model, train, part } = ground;
  const targetClass = direction === "wanted" ? 1 : AUTHORS_TARGET[scenario.data];
  const target: Target = { class: targetClass };
  const x = await refusedRows(ground, targetClass, wanted, random.split("factuals"));
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
  for (let t = 0; t < retrains; t++)
    judges.push(await ground.learn(bootstrapOf(part, part.length, random.split("judge", t)), `judge ${t}`));
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

import type { ProductSet } from "../src/data/sets/contract.ts";
import { columnsOf } from "../src/exact/columns.ts";
import { generate } from "../src/generate/registry.ts";
import { type Random, stream } from "../src/num/random.ts";
import { changeOf } from "../src/run/change.ts";
import { encodingFor, type ModelName } from "../src/train/registry.ts";
import type { Matrix, Model, WorkOptions } from "../src/types.ts";
import { committee } from "./committee.ts";
import {
  bootstrapOf,
  type Ground,
  type GroundOptions,
  openGround,
  productSet,
  refusedRows,
  WANTED,
} from "./ground.ts";
import type { Scenario } from "./settings.ts";

/** How the models that judge plans were trained: on bootstraps of the same rows, or on those of later months. */
export type Retraining = "bootstrap" | "later";

export interface PlansOptions {
  readonly folder: string;
  readonly seed: number;
  readonly retraining: Retraining;
  /** Refused rows, held out. */
  readonly rows: number;
  /** Retrained models that a sturdy plan must convince, and further ones that judge every plan. */
  readonly also: number;
  readonly judges: number;
  /** Scores to be reached, the first the least. */
  readonly levels: readonly number[];
}

/** Refused rows, a model, what may become of them, and models trained again. */
export interface Bench extends Ground {
  readonly x: Matrix;
  /** Neighbours of each row at the target, as `cola explain` offers them, and the row each is of. */
  readonly references: Matrix;
  readonly pairs: ArrayLike<number>;
  readonly also: readonly Model[];
  /** The mean of the margins of the model and of these. */
  readonly mean?: Model;
  readonly judges: readonly Model[];
  /** How much z changes of x, as plans count it: median absolute deviations of the columns, 1 for another level. */
  change(x: Float64Array, z: Float64Array): number;
}

/** Models that sturdy plans are made for. */
export const TREES: readonly ModelName[] = ["xgboost", "forest"];

/** Sizes of the models; a model that is not named has those of its own. */
const FITS: Partial<Record<ModelName, object>> = {
  xgboost: { trees: 100, maxDepth: 6 },
  forest: { trees: 100, maxDepth: 6 },
  mlp: { hidden: [32, 32], epochs: 30 },
};
/** Neighbours offered to each row. */
const NEIGHBOURS = 16;
/** The last day of the bookings a model is trained on, as year, month and day, where later ones judge it. */
const LAST_DAY = 2016_06_30;
/** Periods of later bookings that models are trained on, from the day after the one before. */
const LATER = [2016_09_30, 2016_12_31, 2017_03_31, 2017_06_30, 2017_08_31];

/** Trains, draws refused rows and finds their neighbours. */
export async function openBench(
  { id, data, model: kind }: Scenario,
  options: PlansOptions,
  { signal }: WorkOptions = {},
): Promise<Bench> {
  const { seed, retraining, rows, folder } = options;
  const work = signal ? { signal } : {};
  const random = stream(seed, "plans", id, retraining);
  const set = await productSet(data, folder);
  const { order, later } = orderOf(set, retraining, random);
  const asked: GroundOptions = {
    set,
    schema: set.schema,
    kind,
    order,
    fit: FITS[kind] ?? {},
    encoding: { ...encodingFor(kind), shared: true },
  };
  const ground = await openGround(asked, random, work);
  const { constraints, model, train, part, learn } = ground;
  const x = await refusedRows(ground, 1, rows, random.split("factuals"));
  const task = { model, x, references: train, constraints, target: WANTED };
  const made = await generate("knn", task, { neighbours: NEIGHBOURS, ...work }, random.split("generate"));
  const also: Model[] = [];
  const sturdy = TREES.includes(kind) ? options.also : 0;
  for (let t = 0; t < sturdy; t++)
    also.push(await learn(bootstrapOf(part, part.length, random.split("also", t)), `also ${t}`));
  const judges: Model[] = [];
  for (let t = 0; t < options.judges; t++) {
    const own = random.split("judge", t);
    const among = later?.[t % later.length] ?? part;
    judges.push(await learn(bootstrapOf(among, part.length, own), `judge ${t}`));
  }
  const { weights } = columnsOf(constraints, train);
  return {
    ...ground,
    x,
    references: made.rows,
    pairs: made.pairs!,
    also,
    ...(also.length > 0 ? { mean: committee([model, ...also]) } : {}),
    judges,
    change: (from, to) => changeOf(constraints.schema, weights, constraints.same, from, to),
  };
}

/** The rows in the order in which they are held out and trained on, and those of later periods. */
function orderOf(set: ProductSet, retraining: Retraining, random: Random) {
  const all = random.split("split").permutation(set.rows.rows);
  if (retraining === "bootstrap") return { order: all };
  const days = arrivals(set);
  const among = (from: number, to: number): Int32Array =>
    all.filter((i) => days[i]! > from && days[i]! <= to);
  const later = LATER.map((to, t) => among(LATER[t - 1] ?? LAST_DAY, to));
  return { order: among(0, LAST_DAY), later };
}

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** The day of each booking's arrival, as year, month and day. */
function arrivals({ schema, rows }: ProductSet): Int32Array {
  const at = (name: string): number => schema.features.findIndex((feature) => feature.name === name);
  const [year, month, day] = ["year", "month", "day_of_month"].map((part) => at(`arrival_date_${part}`));
  const names = schema.features[month!]!.categories!;
  return Int32Array.from({ length: rows.rows }, (_, i) => {
    const cell = (k: number): number => rows.data[i * rows.cols + k]!;
    return 10_000 * cell(year!) + 100 * (1 + MONTHS.indexOf(names[cell(month!)]!)) + cell(day!);
  });
}

import { compileConstraints } from "../src/data/constraints.ts";
import type { PreparedSet } from "../src/data/sets/registry.ts";
import { ColaError } from "../src/errors.ts";
import { generate } from "../src/generate/registry.ts";
import { rowOf, sameValue, stacked, takeRows } from "../src/num/matrix.ts";
import { type Random, stream } from "../src/num/random.ts";
import { fit } from "../src/train/registry.ts";
import type { Matrix, Model, WorkOptions } from "../src/types.ts";
import { prepared } from "./data.ts";
import { DATA, GENERATORS, PRESETS, type PresetName, type Scenario, type Switches } from "./settings.ts";

/** What one scenario is run with. */
export interface RunOptions {
  readonly preset: PresetName;
  readonly seed: number;
  readonly runs: number;
  /** Folder of the data sets. */
  readonly folder: string;
  /** Which split; 0 is the published one. */
  readonly split?: number;
  /** Which draw of (x, r) from the same model. */
  readonly draw?: number;
}

/** A scenario before anything is explained: the model, the factual rows x and the counterfactual rows r. */
export interface Setup {
  readonly set: PreparedSet;
  readonly model: Model;
  readonly accuracy: number;
  readonly x: Matrix;
  readonly r: Matrix;
  /** Partner of each row of x in r, where the generator's pairs are still known. */
  readonly pairs: Int32Array | undefined;
  readonly fx: Float64Array;
  readonly fr: Float64Array;
  /** Mean number of columns in which a row of x and a row of r differ, over all pairs. */
  readonly unaligned: number;
  readonly notes: readonly string[];
}

/** Rows a Gaussian process trains on at most; rows the neighbours are taken from at most. */
const GP_ROWS = 1000;
const NEIGHBOUR_ROWS = 10_000;
const POOL = 50;

/** Hard predictions of class 1. */
export async function labels(model: Model, rows: Matrix): Promise<Float64Array> {
  return (await model.predict(rows)).map((score) => Number(score > 0.5));
}

export async function setUp(scenario: Scenario, options: RunOptions, work: WorkOptions = {}): Promise<Setup> {
  const { preset, seed, folder, split = 0, draw = 0 } = options;
  const switches = PRESETS[preset];
  const set = await prepared(scenario.data, folder, preset, split);
  const model = await trained(
    scenario,
    set,
    switches,
    stream(seed, "fit", scenario.data, scenario.model, split),
    work,
  );
  const random = stream(seed, "draw", scenario.id, preset, split, draw);
  const guesses = await labels(model, set.test);
  const hits = guesses.reduce((sum, guess, i) => sum + Number(guess === set.testLabels[i]), 0);
  const asked = groupOf(scenario, switches) ? DATA[scenario.data].groupRows : DATA[scenario.data].rows;
  const x = takeRows(set.test, factuals(guesses, asked, switches, random.split("factuals")));
  const made = await references({ scenario, switches, model, set, random, work }, x);
  return {
    set,
    model,
    accuracy: hits / guesses.length,
    ...made,
    fx: await labels(model, made.x),
    fr: await labels(model, made.r),
    unaligned: meanDifferences(made.x, made.r),
  };
}

/** AReS and GLOBE-CE in the authors' direction start from a larger draw. */
function groupOf({ generator }: Scenario, { recourse }: Switches): boolean {
  return recourse === "authors" && (generator === "ares" || generator === "globe");
}

const fitted = new WeakMap<PreparedSet, Map<string, Promise<Model>>>();

function trained(
  scenario: Scenario,
  set: PreparedSet,
  switches: Switches,
  random: Random,
  work: WorkOptions,
) {
  const known = fitted.get(set) ?? new Map<string, Promise<Model>>();
  fitted.set(set, known);
  const model = known.get(scenario.model) ?? train(scenario, set, switches, random, work);
  known.set(scenario.model, model);
  return model;
}

async function train(
  { model }: Scenario,
  set: PreparedSet,
  { networks }: Switches,
  random: Random,
  work: WorkOptions,
): Promise<Model> {
  const most = model === "gp" ? GP_ROWS : set.train.rows;
  const rows = random.split("rows").sample(set.train.rows, Math.min(most, set.train.rows));
  const [x, y] =
    rows.length < set.train.rows
      ? [takeRows(set.train, rows), Int32Array.from(rows, (i) => set.trainLabels[i]!)]
      : [set.train, set.trainLabels];
  const given = { classes: ["0", "1"], ...(work.signal ? { signal: work.signal } : {}) };
  if (networks === "usual") return fit(model, x, y, given, random);
  if (model === "logistic" || model === "svm" || model === "mlp" || model === "rbf") {
    return fit(model, x, y, { ...given, variant: "authors" }, random);
  }
  return fit(model, x, y, given, random);
}

/** Which test rows are explained. */
function factuals(guesses: Float64Array, count: number, switches: Switches, random: Random): Int32Array {
  if (switches.factuals === "filter") {
    const ones = Int32Array.from(guesses, (_, i) => i).filter((i) => guesses[i] === 1);
    return random.sample(ones.length, Math.min(count, ones.length)).map((t) => ones[t]!);
  }
  const keys = guesses.map((label) => random.exponential() / Math.exp(4 * label));
  return Int32Array.from(keys, (_, i) => i)
    .sort((a, b) => keys[a]! - keys[b]!)
    .subarray(0, count);
}

interface Making {
  readonly scenario: Scenario;
  readonly switches: Switches;
  readonly model: Model;
  readonly set: PreparedSet;
  readonly random: Random;
  readonly work: WorkOptions;
}

type Made = Pick<Setup, "x" | "r" | "pairs" | "notes">;

/** r ← A_CE, in the order of the preset. */
async function references(making: Making, x: Matrix): Promise<Made> {
  const { scenario, switches, random } = making;
  if (scenario.generator === "knn" && switches.neighbours === "pooled") return pooled(making, x);
  const made = await ask(making, x, 0, optionsFor(making));
  const notes = [];
  const lost = made.report.status.filter((status) => status !== "ok").length;
  if (lost > 0) notes.push(`${lost} of ${x.rows} rows have no counterfactual`);
  if (made.rows.rows === 0) {
    throw new ColaError("INPUT_EMPTY", `the generator found no counterfactual: ${made.report.reasons[0]}`);
  }
  if (groupOf(scenario, switches)) {
    const again = random.split("again").sample(x.rows, Math.min(x.rows, made.rows.rows));
    return { x: takeRows(x, again), r: made.rows, pairs: undefined, notes };
  }
  if (switches.order === "shuffled") {
    const order = random.split("order").permutation(made.rows.rows);
    return { x, r: takeRows(made.rows, order), pairs: undefined, notes };
  }
  if (!made.pairs) return { x, r: made.rows, pairs: undefined, notes };
  const served = [...new Set(made.pairs)].sort((a, b) => a - b);
  const first = served.map((i) => made.pairs!.indexOf(i));
  return { x: takeRows(x, served), r: made.rows, pairs: Int32Array.from(first), notes };
}

/** The authors' KNN: for every row 50 neighbours of the other class, thrown together; n rows of them are drawn. */
async function pooled(making: Making, x: Matrix): Promise<Made> {
  const { model, random } = making;
  const guesses = await labels(model, x);
  const parts: Matrix[] = [];
  for (const from of [1, 0]) {
    const rows = Int32Array.from(guesses, (_, i) => i).filter((i) => guesses[i] === from);
    if (rows.length === 0) continue;
    parts.push((await ask(making, takeRows(x, rows), 1 - from, { neighbours: POOL })).rows);
  }
  const pool = stacked(parts);
  const drawn = random.split("pool").sample(pool.rows, Math.min(x.rows, pool.rows));
  const order = random.split("order").permutation(x.rows);
  return { x: takeRows(x, order), r: takeRows(pool, drawn), pairs: undefined, notes: [] };
}

function optionsFor({ scenario, switches }: Making): object {
  return groupOf(scenario, switches) ? { preset: "authors" } : generatorOptions(scenario);
}

/** What a scenario's generator is told in every experiment: DiCE's rows are taken as they are drawn. */
export const generatorOptions = ({ generator }: Scenario): object =>
  generator === "dice" ? { posthoc: "none" } : {};

/** All columns are numbers without constraints, as in the paper's experiments. */
async function ask(making: Making, x: Matrix, target: number, options: object) {
  const { scenario, switches, model, set, random, work } = making;
  const constraints = compileConstraints({
    features: set.names.map((name) => ({ name, kind: "numeric" as const })),
  });
  const ownRange = scenario.generator === "dice" && switches.factuals === "weighted";
  const most = Math.min(set.train.rows, NEIGHBOUR_ROWS);
  const some =
    most < set.train.rows
      ? takeRows(set.train, random.split("train").sample(set.train.rows, most))
      : set.train;
  const task = { model, x, references: ownRange ? x : some, constraints, target: { class: target } };
  const signal = work.signal ? { signal: work.signal } : {};
  const name = GENERATORS[scenario.generator].generator;
  return generate(name as string, task, { ...options, ...signal }, random.split("generate", target));
}

/** Mean over all pairs of the number of columns that differ. */
function meanDifferences(x: Matrix, r: Matrix): number {
  let count = 0;
  for (let i = 0; i < x.rows; i++)
    for (let j = 0; j < r.rows; j++) count += differences(rowOf(x, i), rowOf(r, j));
  return count / (x.rows * r.rows);
}

/** Columns in which two rows differ. */
export function differences(a: Float64Array, b: Float64Array): number {
  let count = 0;
  for (let k = 0; k < a.length; k++) if (!sameValue(a[k]!, b[k]!)) count++;
  return count;
}

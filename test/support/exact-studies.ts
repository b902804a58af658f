import { type Constraints, compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { type Columns, columnsOf } from "../../src/exact/columns.ts";
import { calibrate } from "../../src/model/calibrate.ts";
import { reachOf } from "../../src/model/target.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { encodingFor, type ModelName, models } from "../../src/train/registry.ts";
import type { ExactQuestion, Feature, Kind, Matrix, Model, Reach, Target, Trees } from "../../src/types.ts";
import { wildForest } from "./forests.ts";

/** A small question, with everything brute force needs to answer it without the search. */
export interface SmallStudy {
  readonly what: string;
  readonly question: ExactQuestion;
  readonly columns: Columns;
  readonly constraints: Constraints;
  readonly model: Model;
  readonly target: Target;
  readonly reach: Reach;
  readonly minMargin: number;
  readonly rows: Matrix;
}

const KINDS: readonly Kind[] = ["numeric", "integer", "ordinal", "categorical", "boolean", "numeric"];
const TRAINED: readonly ModelName[] = [
  "tree",
  "bagging",
  "forest",
  "adaboost",
  "gradboost",
  "xgboost",
  "lightgbm",
  "logistic",
  "svm",
];

/** Random features, table, model and target; the same for the same seed. */
export function smallStudy(seed: number): SmallStudy {
  const random = stream(seed, "small study");
  const given = Array.from({ length: 3 + random.int(3) }, (_, k) => featureOf(random, k));
  const { features, rules } = between(random, given);
  const constraints = compileConstraints({ features, ...(rules.length > 0 ? { rules } : {}) });
  const rows = constraints.complete(tableOf(random, features, 40));
  const wild = random.next() < 0.4;
  const classes = !wild && random.next() < 0.3 ? 3 : 2;
  const { model, what } = wild
    ? wildModel(seed, random, features.length)
    : trained(random, constraints, rows, classes);
  return posed(`${seed} ${what}`, random, constraints, rows, calibrated(random, model));
}

/** A model of one score on the scale of a calibration, in some studies. */
function calibrated(random: Random, model: Model): Model {
  if (model.outputs.length > 2 || random.next() > 0.2) return model;
  const edges = Array.from({ length: 2 + random.int(4) }, (_, t) => t / 4 + random.next() / 5);
  const shares = edges.map(() => Math.round(10 * random.next()) / 10).sort((a, b) => a - b);
  if (random.next() < 0.3) shares.reverse();
  return calibrate(
    model,
    edges.map((edge, t) => [edge, shares[t]!] as const),
  );
}

function posed(
  what: string,
  random: Random,
  constraints: Constraints,
  rows: Matrix,
  model: Model,
): SmallStudy {
  const { target, minMargin } = targetOf(random, model);
  const reach = reachOf(model, target);
  const question = { model, constraints, reach, minMargin, table: rows };
  const scale = model.calibration ? "calibrated " : "";
  return {
    what: `${what} ${scale}${JSON.stringify(target)}`,
    question,
    columns: columnsOf(constraints, rows),
    constraints,
    model,
    target,
    reach,
    minMargin,
    rows,
  };
}

/**
 * Three or four numbers with many values, and a score so high that one edit is seldom enough: the search has to look
 * into boxes, and brute force still can look at every row.
 */
export function hardStudy(seed: number): SmallStudy {
  const random = stream(seed, "hard study");
  const size = 3 + random.int(2);
  const values = size === 3 ? 30 : 12;
  const features = Array.from(
    { length: size },
    (_, k): Feature => ({ name: `f${k}`, kind: "integer", min: -8, max: 8 }),
  );
  const cell = (): number => random.int(Math.min(17, values)) - 8;
  const rows = { data: Float64Array.from({ length: 120 * size }, cell), rows: 120, cols: size };
  const constraints = compileConstraints({ features });
  const made = seed % 4 === 0 ? undefined : trained(random, constraints, rows, 2, { trees: 12, maxDepth: 4 });
  const forest = wildForest(seed, { cols: size, count: 10, depth: 5, link: "logistic", tame: true });
  const wild = treeModel({
    name: "forest",
    outputs: ["no", "yes"],
    cols: size,
    forests: [spread(forest, random)],
  });
  const model = made?.model ?? wild;
  const scores = (model.predict(rows, 1) as Float64Array).toSorted();
  const target = { output: 1, min: scores[110 + random.int(10)]! };
  const reach = reachOf(model, target);
  const question = { model, constraints, reach, table: rows };
  const what = `hard ${seed} ${made?.what ?? "wild"} ${JSON.stringify(target)}`;
  return {
    what,
    question,
    columns: columnsOf(constraints, rows),
    constraints,
    model,
    target,
    reach,
    minMargin: 0,
    rows,
  };
}

/** The same trees with thresholds all over the values of `hardStudy`. */
function spread(forest: Trees, random: Random): Trees {
  return { ...forest, threshold: forest.threshold.map(() => random.int(17) - 8.5) };
}

export function featureOf(random: Random, k: number): Feature {
  const kind = KINDS[random.int(KINDS.length)]!;
  const chance = (p: number): boolean => random.next() < p;
  const levels = ["a", "b", "c", "d"].slice(0, 2 + random.int(3));
  const leveled = kind === "ordinal" || kind === "categorical";
  const numeric = kind === "numeric" || kind === "integer";
  const transitions = { a: ["b"], b: levels.filter((level) => level !== "b") };
  return {
    name: `f${k}`,
    kind,
    ...(leveled ? { categories: levels } : {}),
    ...(chance(0.1) ? { immutable: true } : {}),
    ...(numeric && chance(0.3) ? { min: -1 } : {}),
    ...(numeric && chance(0.3) ? { max: 3 } : {}),
    ...(kind === "numeric" && chance(0.3) ? { step: 0.5, min: -2 } : {}),
    ...(numeric && chance(0.15) ? { allowed: [-1, 0, 2, 3] } : {}),
    ...(kind !== "categorical" && chance(0.2) ? { direction: chance(0.5) ? "up" : "down" } : {}),
    ...(leveled && chance(0.3) ? { transitions } : {}),
    ...(chance(0.25) ? { editMissing: true } : {}),
    ...(kind === "numeric" && chance(0.15) ? { tolerance: 0.6 } : {}),
    ...(numeric && chance(0.15) ? { missing: [-2] } : {}),
    ...(k % 2 === 0 ? { cost: 1 + k / 4 } : {}),
  } as Feature;
}

/** The features with a derived column, and rules between them, in some studies. */
function between(
  random: Random,
  given: readonly Feature[],
): { readonly features: readonly Feature[]; readonly rules: readonly string[] } {
  const numbers = given.filter(({ kind }) => kind === "numeric" || kind === "integer");
  const of = (): string => numbers[random.int(numbers.length)]!.name;
  const sum = (): string => `${of()} ${["+", "-", "*", "/"][random.int(4)]} ${of()}`;
  const level = given.find(({ categories }) => categories !== undefined);
  const [features, rules] = [[...given], [] as string[]];
  if (numbers.length === 0) return { features, rules };
  if (random.next() < 0.25) features.push({ name: "made", kind: "numeric", derived: sum() });
  if (random.next() < 0.1)
    features.push({ name: "told", kind: "boolean", derived: `${of()} > ${of()} + 0.5` });
  if (random.next() < 0.3) {
    const order = ["<=", "<", ">=", "!="][random.int(4)];
    const other = [sum(), "1", "1.5"][random.int(3)];
    rules.push(`${features.length > given.length && random.next() < 0.3 ? "made" : of()} ${order} ${other}`);
  }
  if (level && random.next() < 0.15) rules.push(`${level.name} == 'a' or ${of()} >= ${random.int(3)}`);
  const made = features.some(({ name }) => name === "made");
  return { features, rules: rules.filter((rule) => made || !rule.startsWith("made")) };
}

export function tableOf(random: Random, features: readonly Feature[], rows: number): Matrix {
  const cell = (feature: Feature): number => {
    if (random.next() < 0.08) return Number.NaN;
    if (feature.kind === "boolean") return random.int(2);
    if (feature.categories) return random.int(feature.categories.length);
    return feature.kind === "integer" ? random.int(7) - 2 : (random.int(13) - 4) / 2;
  };
  const data = Float64Array.from({ length: rows * features.length }, (_, c) =>
    cell(features[c % features.length]!),
  );
  return { data, rows, cols: features.length };
}

function trained(
  random: Random,
  constraints: Constraints,
  rows: Matrix,
  classes: number,
  given?: { readonly trees: number; readonly maxDepth: number },
): { readonly model: Model; readonly what: string } {
  const name = TRAINED[random.int(TRAINED.length)]!;
  const smooth = name === "logistic" || name === "svm";
  const standard = smooth || random.next() < 0.5;
  const options = standard ? {} : encodingFor(name);
  const encoder = fitEncoder(constraints.schema, rows, options);
  const plain = Array.from({ length: rows.cols }, () => random.normal());
  const labels = Int32Array.from({ length: rows.rows }, (_, i) => {
    let sum = random.normal() / 2;
    for (let k = 0; k < rows.cols; k++) sum += plain[k]! * (rows.data[i * rows.cols + k]! || 0);
    return Math.min(classes - 1, Math.max(0, Math.floor(sum + 1)));
  });
  for (let c = 0; c < classes; c++) labels[c] = c;
  const encoded = encodeRows(encoder, rows);
  const forest = given ?? { trees: 2 + random.int(5), maxDepth: 1 + random.int(3) };
  const size = smooth ? {} : forest;
  const fitted = models[name].fit(
    encoded,
    labels,
    name === "tree" ? { maxDepth: 3 } : size,
    random.split("fit"),
  );
  return {
    model: bind(fitted, encoder, constraints),
    what: `${name} ${standard ? "standard" : "raw"} ${classes}`,
  };
}

/** Trees with every rule a library has, read from codes as they are. */
function wildModel(
  seed: number,
  random: Random,
  cols: number,
): { readonly model: Model; readonly what: string } {
  const link = random.next() < 0.5 ? "identity" : "logistic";
  const forest = wildForest(seed, { cols, count: 1 + random.int(4), depth: 1 + random.int(3), link });
  const model = treeModel({ name: "forest", outputs: ["no", "yes"], cols, forests: [forest] });
  return { model, what: `wild ${link}` };
}

export function targetOf(
  random: Random,
  model: Model,
): { readonly target: Target; readonly minMargin: number } {
  const { outputs } = model;
  const minMargin = random.next() < 0.3 ? 0.1 : 0;
  const of = outputs[random.int(outputs.length)]!;
  const kind = random.int(5);
  if (kind === 0) return { target: { class: of, not: true }, minMargin };
  if (kind === 1) return { target: { output: of, min: 0.4, max: 0.7 }, minMargin: 0 };
  if (kind === 2) return { target: { output: of, below: 0.3 }, minMargin: 0 };
  if (kind === 3 && outputs.length > 2) return { target: { class: outputs.slice(1) }, minMargin };
  return { target: { class: of }, minMargin };
}

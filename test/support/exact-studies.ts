import { type Constraints, compileConstraints } from "../../src/data/constraints.ts";
import { bind, fitEncoder } from "../../src/data/encode.ts";
import { type Columns, columnsOf } from "../../src/exact/columns.ts";
import type { ExactQuestion } from "../../src/exact/contract.ts";
import { type Reach, reachOf } from "../../src/model/target.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { encodingFor, type ModelName, models } from "../../src/train/registry.ts";
import type { Feature, Kind, Matrix, Model, Target, Trees } from "../../src/types.ts";
import { wildForest } from "./forests.ts";

/** A small question, with everything brute force needs to answer it without the search. */
export interface SmallStudy {
  readonly what: string;
  readonly question: ExactQuestion;
  readonly columns: Columns;
  readonly constraints: Constraints;
  readonly model: Model;
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
  const features = Array.from({ length: 3 + random.int(3) }, (_, k) => featureOf(random, k));
  const rows = tableOf(random, features, 40);
  const constraints = compileConstraints({ features });
  const wild = random.next() < 0.4;
  const classes = !wild && random.next() < 0.3 ? 3 : 2;
  const { model, what } = wild
    ? wildModel(seed, random, features.length)
    : trained(random, constraints, rows, classes);
  const { target, minMargin } = targetOf(random, model);
  const reach = reachOf(model, target);
  const question = { model, constraints, reach, minMargin, table: rows };
  return {
    what: `${seed} ${what} ${JSON.stringify(target)}`,
    question,
    columns: columnsOf(constraints, rows),
    constraints,
    model,
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
    reach,
    minMargin: 0,
    rows,
  };
}

/** The same trees with thresholds all over the values of `hardStudy`. */
function spread(forest: Trees, random: Random): Trees {
  return { ...forest, threshold: forest.threshold.map(() => random.int(17) - 8.5) };
}

function featureOf(random: Random, k: number): Feature {
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
  } as Feature;
}

function tableOf(random: Random, features: readonly Feature[], rows: number): Matrix {
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
  const free = bind({ outputs: [], predict: () => new Float64Array(0) }, encoder, constraints);
  const encoded = free.encoding!.encode(rows);
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

function targetOf(random: Random, model: Model): { readonly target: Target; readonly minMargin: number } {
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

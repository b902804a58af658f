import { linearModel } from "../../../src/model/linear.ts";
import { linearKernels } from "../../../src/model/linear-kernels.ts";
import { treeKernels } from "../../../src/model/trees/kernels.ts";
import { treeModel } from "../../../src/model/trees/model.ts";
import type { Random } from "../../../src/num/random.ts";
import { readLightgbm } from "../../../src/read/lightgbm.ts";
import { readXgboost } from "../../../src/read/xgboost.ts";
import type { Link, Matrix, Model, Trees } from "../../../src/types.ts";
import { lightgbmFile, lightgbmText } from "../lightgbm-files.ts";
import { gbtreeOf, xgboostDocument, xgboostJson } from "../xgboost-files.ts";
import { type Column, chance, pick } from "./columns.ts";

/** A model whose predictions are quick and not async. */
export type Quick = Omit<Model, "predict"> & { predict(rows: Matrix, output?: number): Float64Array };

const makers = { forest, xgboost, lightgbm, linear, gblinear, box };
export type ModelKind = keyof typeof makers;
export const MODEL_KINDS = Object.keys(makers) as ModelKind[];

export function drawModel(random: Random, kind: ModelKind, columns: readonly Column[]): Quick {
  return makers[kind](random, columns) as Quick;
}

/** Scores of one output; NaN where the model gives no number or throws. */
export function scoresOf(model: Quick, rows: readonly Float64Array[], output: number): Float64Array {
  const cols = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    data.set(row, i * cols);
  });
  try {
    return rows.length === 0 ? data : model.predict({ data, rows: rows.length, cols }, output);
  } catch {
    if (rows.length === 1) return Float64Array.of(Number.NaN);
    return Float64Array.from(rows, (row) => scoresOf(model, [row], output)[0]!);
  }
}

const names = (count: number): string[] => ["no", "yes", "maybe"].slice(0, count);

function forest(random: Random, columns: readonly Column[]): Model {
  const link = pick<Link>(random, ["identity", "identity", "logistic", "logistic", "exp", "softmax"]);
  const outputs =
    link === "softmax" ? names(3) : link === "exp" ? ["score"] : pick(random, [["score"], names(2)]);
  const size = link === "identity" && outputs.length === 1 ? 10 ** pick(random, [0, 0, 9, 9, -9]) : 1;
  const forests = Array.from({ length: link === "softmax" ? 3 : 1 }, () =>
    trees(random, columns, link, size),
  );
  return treeModel({ name: "forest", outputs, cols: columns.length, forests });
}

/** Trees whose thresholds are at or between the values of the columns. */
function trees(random: Random, columns: readonly Column[], link: Link, size: number): Trees {
  const feature: number[] = [];
  const [threshold, value, left, right, flags] = [[], [], [], [], []] as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  const whole = chance(random, 0.4);
  const grow = (depth: number): number => {
    const node = feature.length;
    const leaf = depth === 3 || (depth > 0 && chance(random, 0.3));
    const k = random.int(columns.length);
    feature.push(leaf ? -1 : k);
    threshold.push(leaf ? 0 : pick(random, columns[k]!.grid) + pick(random, [0, 0.25]) * columns[k]!.scale);
    value.push(leaf ? size * (whole ? random.int(5) - 2 : random.normal() / 2) : 0);
    flags.push(leaf ? 0 : random.int(2));
    left.push(0);
    right.push(0);
    if (!leaf) {
      left[node] = grow(depth + 1);
      right[node] = grow(depth + 1);
    }
    return node;
  };
  const roots = Array.from({ length: 1 + random.int(columns.length + 6) }, () => grow(0));
  return {
    kind: "trees",
    base: whole ? 0 : size * random.normal(),
    link,
    roots: Int32Array.from(roots),
    feature: Int32Array.from(feature),
    threshold: Float64Array.from(threshold),
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    value: Float64Array.from(value),
    flags: Uint8Array.from(flags),
    inclusive: chance(random, 0.5),
    float32: chance(random, 0.3),
    kernels: treeKernels,
  };
}

/** Σ_k weight_k·[z_k ≥ 0.5], nearly all weights 1. */
export function stumps(random: Random, columns: readonly Column[]): Quick {
  const nodes = 3 * columns.length;
  const feature = Int32Array.from({ length: nodes }, (_, v) => (v % 3 === 0 ? v / 3 : -1));
  const weights = columns.map(() => pick(random, [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5]));
  const forests: Trees[] = [
    {
      ...{ kind: "trees", base: 0, link: "identity", inclusive: false, float32: false, kernels: treeKernels },
      roots: Int32Array.from(columns, (_, k) => 3 * k),
      feature,
      threshold: new Float64Array(nodes).fill(0.5),
      left: feature.map((k, v) => (k < 0 ? 0 : v + 1)),
      right: feature.map((k, v) => (k < 0 ? 0 : v + 2)),
      value: Float64Array.from({ length: nodes }, (_, v) => (v % 3 === 2 ? weights[(v - 2) / 3]! : 0)),
      flags: new Uint8Array(nodes),
    },
  ];
  return treeModel({ name: "forest", outputs: ["score"], cols: columns.length, forests }) as Quick;
}

const XGBOOST = [
  "binary:logistic",
  "reg:squarederror",
  "count:poisson",
  "reg:gamma",
  "multi:softprob",
  "reg:logistic",
];

function xgboost(random: Random, columns: readonly Column[]): Model {
  const objective = pick(random, XGBOOST);
  const file = xgboostDocument(random, {
    ...{ objective, cols: columns.length, rounds: 1 + random.int(columns.length + 4) },
    ...{ groups: objective === "multi:softprob" ? 3 : 1, dart: chance(random, 0.15) },
  });
  const gain = pick(random, [1, 1, 4]);
  for (const tree of gbtreeOf(file).trees) {
    tree.left_children.forEach((child, v) => {
      const scale = child >= 0 ? columns[tree.split_indices[v]!]!.scale : gain;
      tree.split_conditions[v] = Math.fround(tree.split_conditions[v]! * scale);
    });
  }
  return readXgboost(xgboostJson(file));
}

const LIGHTGBM = ["binary sigmoid:1", "regression", "poisson", "tweedie", "multiclass num_class:3"];

function lightgbm(random: Random, columns: readonly Column[]): Model {
  const objective = pick(random, LIGHTGBM);
  const file = lightgbmFile(random, {
    ...{ objective, cols: columns.length, rounds: 1 + random.int(columns.length + 4) },
    groups: objective.startsWith("multiclass") ? 3 : 1,
  });
  const gain = pick(random, [1, 1, 4]);
  for (const tree of file.trees) {
    tree.leaf_value = tree.leaf_value.map((value) => gain * value);
    tree.split_feature.forEach((k, v) => {
      if (Math.abs(tree.threshold[v]!) > 1e-30) tree.threshold[v]! *= columns[k]!.scale;
    });
  }
  return readLightgbm(lightgbmText(file));
}

/** One weight per column, mostly in units in which the columns are alike; often round, so that sums meet edges. */
function weightsOf(random: Random, columns: readonly Column[]): number[] {
  const [round, plain] = [chance(random, 0.3), chance(random, 0.25)];
  return columns.map(
    ({ scale }) => (round ? (random.int(9) - 4) / 2 : random.normal()) / (plain ? 1 : scale),
  );
}

function linear(random: Random, columns: readonly Column[]): Model {
  const link = pick<Link>(random, ["identity", "identity", "logistic", "logistic", "exp", "softmax"]);
  const margins = link === "softmax" ? 3 : 1;
  const intercepts = Float64Array.from({ length: margins }, () => random.int(9) / 2 - 2);
  const data = Float64Array.from({ length: margins }, () => 0);
  const flat = Array.from(data, () => weightsOf(random, columns)).flat();
  const weights = { data: Float64Array.from(flat), rows: margins, cols: columns.length };
  if (link !== "exp" && (link !== "identity" || chance(random, 0.5))) {
    return linearModel("logistic", names(margins === 3 ? 3 : 2), { weights, intercepts }, link);
  }
  const size = link === "identity" ? 10 ** pick(random, [0, 0, 9, 9, -9]) : 1;
  return plainLinear(
    link,
    size * intercepts[0]!,
    weights.data.map((w) => size * w),
  );
}

/** margin = intercept + Σ w·z, summed in the order of the columns. */
function plainLinear(link: Link, intercept: number, weights: Float64Array): Model {
  const cols = weights.length;
  return {
    outputs: ["score"],
    predict: (rows) =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        let sum = intercept;
        for (let k = 0; k < cols; k++) sum += weights[k]! * rows.data[i * cols + k]!;
        return link === "exp" ? Math.exp(sum) : sum;
      }),
    structure: () => ({ kind: "linear", intercept, weights, link, kernels: linearKernels }),
  };
}

function gblinear(random: Random, columns: readonly Column[]): Model {
  const objective = pick(random, ["binary:logistic", "reg:squarederror", "count:poisson"]);
  const file = xgboostDocument(random, { objective, cols: columns.length, rounds: 1 });
  file.learner.gradient_booster = {
    name: "gblinear",
    model: { weights: [...weightsOf(random, columns), random.normal()].map(Math.fround) },
  };
  return readXgboost(xgboostJson(file));
}

/** A score without a rule: waves of sums of the columns, in steps so that many rows tie; some rows fail. */
function box(random: Random, columns: readonly Column[]): Model {
  const outputs = pick(random, [["score"], ["score"], names(2), names(3)]);
  const levels = pick(random, [4, 20, 1e9]);
  const failing = chance(random, 0.1) ? 0.05 : 0;
  const waves = outputs.map(() => [weightsOf(random, columns), weightsOf(random, columns)] as const);
  const { length: cols } = columns;
  const raw = (o: number, row: Float64Array): number => {
    let [a, b] = [o, 0.5];
    for (let k = 0; k < cols; k++) {
      const z = Number.isNaN(row[k]!) ? 0.3 * columns[k]!.scale : row[k]!;
      a += waves[o]![0][k]! * z;
      b += waves[o]![1][k]! * z;
    }
    return Math.sin(3 * a) + Math.cos(a * b);
  };
  return {
    outputs,
    predict: (rows, output = outputs.length === 2 ? 1 : 0) =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        const row = rows.data.subarray(i * cols, (i + 1) * cols);
        const wave = outputs.length === 2 ? raw(0, row) : raw(output, row);
        if (failing > 0 && Math.abs((wave * 1e3) % 1) < failing) return Number.NaN;
        const score = Math.round(((wave + 2) / 4) * levels) / levels;
        return outputs.length === 2 && output === 0 ? 1 - score : score;
      }),
  };
}

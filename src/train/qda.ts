import { ColaError } from "../errors.ts";
import { marginModel, type SmoothModel } from "../model/row-model.ts";
import { SAVED_VERSION, type Saved } from "../model/saved.ts";
import { finish, inSteps, type Steps } from "../model/steps.ts";
import { addOuter, choleskySteps, solveLower, solveLowerTransposed } from "../num/linalg.ts";
import type { Matrix } from "../types.ts";
import { number, resolveOptions } from "./options.ts";
import { type ClassTask, classTask, type FitOptions } from "./training.ts";

export interface QdaOptions extends FitOptions {
  /** r in (1 − r)·Σ_k + r·I. Default 0. */
  readonly regParam?: number;
}

/** One class: its mean, the factor L of its covariance L Lᵀ, and log prior − ½ log det. */
interface Gaussian {
  readonly mean: Float64Array;
  readonly factor: Float64Array;
  readonly constant: number;
}

/** A pivot this small beside its variance means the column is a combination of those before it. */
const COLLINEAR = 1e-10;

/**
 * Quadratic discriminant analysis: each class is N(μ_k, Σ_k) with its sample covariance (n_k − 1), priors are
 * class frequencies; score_k ∝ prior_k · N(x; μ_k, Σ_k). Class weights act on the priors alone.
 */
export function fitQda(x: Matrix, y: ArrayLike<number>, options: QdaOptions = {}): SmoothModel {
  return finish(qdaSteps(x, y, options));
}

/** `fitQda` in short steps. */
export function* qdaSteps(x: Matrix, y: ArrayLike<number>, options: QdaOptions = {}): Steps<SmoothModel> {
  const { regParam } = resolveOptions("qda", options, { regParam: number(0, 0, 1) });
  const task = classTask("qda", x, y, options);
  const total = task.weights.reduce((sum, w) => sum + w, 0);
  const gaussians: Gaussian[] = [];
  for (let k = 0; k < task.classes.length; k++) {
    gaussians.push(yield* gaussianOf(task, k, total, regParam));
    yield [k + 1, task.classes.length];
  }
  return qdaModel(task.classes, x.cols, gaussians);
}

function* gaussianOf(task: ClassTask, k: number, total: number, regParam: number): Steps<Gaussian> {
  const { x, labels, weights, rowWeights, classes } = task;
  const d = x.cols;
  const mean = new Float64Array(d);
  let mass = 0;
  let prior = 0;
  for (let i = 0; i < x.rows; i++) {
    if (labels[i] !== k) continue;
    mass += rowWeights[i]!;
    prior += weights[i]! / total;
    for (let c = 0; c < d; c++) mean[c]! += rowWeights[i]! * x.data[i * d + c]!;
  }
  if (!(mass > 1 && prior > 0)) {
    throw new ColaError(
      "FIT_FAILED",
      `qda: class ${classes[k]} has rows of total weight ${mass}; a covariance needs more than 1. Give more rows of it, or weights that count rows.`,
      { class: k, mass },
    );
  }
  for (let c = 0; c < d; c++) mean[c]! /= mass;
  const factor = new Float64Array(d * d);
  const gap = new Float64Array(d);
  yield* inSteps(x.rows, d * d, (i) => {
    if (labels[i] !== k) return;
    for (let c = 0; c < d; c++) gap[c] = x.data[i * d + c]! - mean[c]!;
    addOuter(factor, d, 0, 0, gap, ((1 - regParam) * rowWeights[i]!) / (mass - 1));
  });
  for (let c = 0; c < d; c++) factor[c * d + c]! += regParam;
  refuseSingular(yield* choleskySteps(factor, d, COLLINEAR), classes[k]!);
  let logRoot = 0;
  for (let c = 0; c < d; c++) logRoot += Math.log(factor[c * d + c]!);
  return { mean, factor, constant: Math.log(prior) - logRoot };
}

function refuseSingular(column: number, name: string): void {
  if (column < 0) return;
  throw new ColaError(
    "FIT_FAILED",
    `qda: within class ${name}, column ${column} is constant or a combination of the columns before it, so its covariance is singular; drop the column (of one-hot columns, one per feature) or set options.regParam, e.g. 0.1.`,
    { class: name, column },
  );
}

function qdaModel(outputs: readonly string[], cols: number, gaussians: readonly Gaussian[]): SmoothModel {
  const binary = outputs.length === 2;
  const gap = new Float64Array(cols);
  const density = (cells: Float64Array, at: number, { mean, factor, constant }: Gaussian): number => {
    for (let k = 0; k < cols; k++) gap[k] = cells[at + k]! - mean[k]!;
    solveLower(factor, cols, gap);
    let square = 0;
    for (let k = 0; k < cols; k++) square += gap[k]! ** 2;
    return constant - square / 2;
  };
  const slopeInto = (cells: Float64Array, at: number, gaussian: Gaussian, out: Float64Array): void => {
    density(cells, at, gaussian);
    solveLowerTransposed(gaussian.factor, cols, gap);
    for (let k = 0; k < cols; k++) out[k]! -= gap[k]!;
  };
  return marginModel({
    owner: "qda",
    outputs,
    cols,
    link: binary ? "logistic" : "softmax",
    margins: (cells, at, out) => {
      if (binary) out[0] = density(cells, at, gaussians[1]!) - density(cells, at, gaussians[0]!);
      else for (let k = 0; k < out.length; k++) out[k] = density(cells, at, gaussians[k]!);
    },
    jacobian: (cells, at, out) => {
      out.fill(0);
      if (binary) {
        slopeInto(cells, at, gaussians[0]!, out);
        for (let k = 0; k < cols; k++) out[k] = -out[k]!;
        slopeInto(cells, at, gaussians[1]!, out);
        return;
      }
      for (let j = 0; j < gaussians.length; j++) {
        slopeInto(cells, at, gaussians[j]!, out.subarray(j * cols, (j + 1) * cols));
      }
    },
    toJSON: () => ({
      type: "qda",
      version: SAVED_VERSION,
      outputs,
      cols,
      classes: gaussians.map(({ mean, factor, constant }) => ({
        mean: Array.from(mean),
        factor: Array.from(factor),
        constant,
      })),
    }),
  });
}

export function loadQda(saved: Saved): SmoothModel {
  const outputs = saved.texts("outputs", 2);
  const cols = saved.whole("cols", 1, 1e5);
  const gaussians = saved.children("classes", outputs.length).map((part) => {
    const factor = part.numbers("factor", cols * cols);
    part.check(
      factor.every((v, c) => c % (cols + 1) !== 0 || v > 0),
      `"factor" must have a positive diagonal`,
    );
    return { mean: part.numbers("mean", cols), factor, constant: part.number("constant") };
  });
  return qdaModel(outputs, cols, gaussians);
}

import { squaredLoss } from "../model/loss.ts";
import { marginModel, type SmoothModel } from "../model/row-model.ts";
import { SAVED_VERSION, type Saved } from "../model/saved.ts";
import { finish, type Steps } from "../model/steps.ts";
import { kmeans } from "../num/kmeans.ts";
import { squaredDistance } from "../num/linalg.ts";
import { takeRows } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { median } from "../num/stats.ts";
import type { Matrix } from "../types.ts";
import { descend, type RowLoss } from "./adam.ts";
import { AUTHORS, authorsBound, requireTwoClasses } from "./authors.ts";
import { logisticWeights } from "./logistic.ts";
import { number, oneOf, resolveOptions, whole } from "./options.ts";
import { type ClassTask, classTask, type FitOptions, streamOf } from "./training.ts";

export interface RbfOptions extends FitOptions {
  /** Gaussian units. Default 100 (the authors have as many as columns). */
  readonly units?: number;
  /** Width σ of the units over the median distance between centres. Default 1. */
  readonly width?: number;
  /** Inverse strength of the L2 penalty on output weights. Default 10. */
  readonly c?: number;
  /**
   * `product` (default): k-means centres, one width, logistic output weights. `authors`: random centres and
   * widths, all trained together by Adam under squared loss; the score is the raw output.
   */
  readonly variant?: "product" | "authors";
}

/** Rows the centres are sought among. */
const CENTRE_ROWS = 5000;

/** The parameters: unit h is e^(−rate_h ‖z − c_h‖²), margin j is intercepts_j + Σ_h weights_jh · unit_h. */
interface Units {
  readonly centres: Matrix;
  readonly rates: Float64Array;
  /** Margins × units. */
  readonly weights: Float64Array;
  readonly intercepts: Float64Array;
}

/**
 * Radial basis function network: a layer of Gaussian units e^(−‖z − c‖² / 2σ²) and linear margins over them.
 */
export function fitRbf(
  x: Matrix,
  y: ArrayLike<number>,
  options: RbfOptions = {},
  random?: Random | number,
): SmoothModel {
  return finish(rbfSteps(x, y, options, random));
}

/** `fitRbf` in short steps. */
export function* rbfSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: RbfOptions = {},
  random?: Random | number,
): Steps<SmoothModel> {
  const settings = resolveOptions("rbf", options, {
    units: whole(100, 1, 10_000),
    width: number(1, 1e-6, 1e6),
    c: number(10, 1e-12),
    variant: oneOf<"product" | "authors">("product", "authors"),
  });
  const task = classTask("rbf", x, y, options);
  const own = streamOf(random, "rbf");
  const training = settings.variant === "authors" ? authors(task, own) : product(task, settings, own);
  const units = yield* training;
  const link =
    settings.variant === "authors" ? "identity" : task.classes.length === 2 ? "logistic" : "softmax";
  return rbfModel(task.classes, units, link);
}

function* product(
  task: ClassTask,
  { units, width, c }: { units: number; width: number; c: number },
  random: Random,
): Steps<Units> {
  const { x } = task;
  const rows = x.rows > CENTRE_ROWS ? takeRows(x, random.split("rows").sample(x.rows, CENTRE_ROWS)) : x;
  const centres = kmeans(rows, units, random.split("centres"));
  yield [0, 1];
  const sigma = width * medianDistance(centres);
  const rates = new Float64Array(centres.rows).fill(1 / (2 * sigma * sigma));
  const layer = { data: new Float64Array(x.rows * centres.rows), rows: x.rows, cols: centres.rows };
  for (let i = 0; i < x.rows; i++) {
    unitsInto(centres, rates, x.data, i * x.cols, layer.data.subarray(i * layer.cols, (i + 1) * layer.cols));
    if (i % 1024 === 0) yield [i, x.rows];
  }
  const { weights, intercepts } = yield* logisticWeights({ ...task, x: layer }, c);
  return { centres, rates, weights: weights.data, intercepts };
}

/** The median distance between two centres; 1 where there is a single one. */
function medianDistance(centres: Matrix): number {
  const { data, rows, cols } = centres;
  const gaps: number[] = [];
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b < a; b++) gaps.push(Math.sqrt(squaredDistance(data, a * cols, data, b * cols, cols)));
  }
  return gaps.length > 0 ? median(gaps) : 1;
}

/**
 * The authors' network: as many units as columns, centres from N(0, 1), σ from U(0.5, 1.5), exponent
 * ‖z − c‖² / (2σ² + 1e-6). θ = (centres, σ, weights, intercept).
 */
function* authors(task: ClassTask, random: Random): Steps<Units> {
  requireTwoClasses("rbf", task);
  const d = task.x.cols;
  const theta = new Float64Array(d * d + 2 * d + 1);
  for (let p = 0; p < d * d; p++) theta[p] = random.normal();
  for (let p = d * d; p < d * d + d; p++) theta[p] = 0.5 + random.next();
  for (let p = d * d + d; p < theta.length; p++) theta[p] = authorsBound(d) * (2 * random.next() - 1);
  yield* descend(theta, { weights: task.weights, add: authorsLoss(task) }, AUTHORS, random);
  return {
    centres: { data: theta.slice(0, d * d), rows: d, cols: d },
    rates: theta.slice(d * d, d * d + d).map(authorsRate),
    weights: theta.slice(d * d + d, d * d + 2 * d),
    intercepts: theta.slice(d * d + 2 * d),
  };
}

/** Squared loss of the authors' network and its gradient by θ. */
export function authorsLoss({ x, labels, weights }: ClassTask): RowLoss["add"] {
  const d = x.cols;
  const unit = new Float64Array(d);
  const addRow = (theta: Float64Array, i: number, gradient: Float64Array): number => {
    let margin = theta[d * d + 2 * d]!;
    for (let h = 0; h < d; h++) {
      unit[h] = Math.exp(-authorsRate(theta[d * d + h]!) * squaredDistance(x.data, i * d, theta, h * d, d));
      margin += theta[d * d + d + h]! * unit[h]!;
    }
    const { loss, slope } = squaredLoss("identity", margin, labels[i]!);
    const delta = weights[i]! * slope;
    for (let h = 0; h < d; h++) {
      const sigma = theta[d * d + h]!;
      const rate = authorsRate(sigma);
      const pull = delta * theta[d * d + d + h]! * unit[h]! * rate;
      let gap2 = 0;
      for (let k = 0; k < d; k++) {
        const gap = x.data[i * d + k]! - theta[h * d + k]!;
        gradient[h * d + k]! += 2 * pull * gap;
        gap2 += gap * gap;
      }
      // ∂rate/∂σ = −4σ rate².
      gradient[d * d + h]! += pull * gap2 * 4 * sigma * rate;
      gradient[d * d + d + h]! += delta * unit[h]!;
    }
    gradient[d * d + 2 * d]! += delta;
    return weights[i]! * loss;
  };
  return (theta, rows, gradient) => rows.reduce((sum, i) => sum + addRow(theta, i, gradient), 0);
}

function authorsRate(sigma: number): number {
  return 1 / (2 * sigma * sigma + 1e-6);
}

function unitsInto(
  centres: Matrix,
  rates: Float64Array,
  cells: Float64Array,
  at: number,
  out: Float64Array,
): void {
  const { data, cols } = centres;
  for (let h = 0; h < out.length; h++) {
    out[h] = Math.exp(-rates[h]! * squaredDistance(cells, at, data, h * cols, cols));
  }
}

const LINKS = ["logistic", "identity", "softmax"] as const;

function rbfModel(outputs: readonly string[], units: Units, link: (typeof LINKS)[number]): SmoothModel {
  const { centres, rates, weights, intercepts } = units;
  const { rows: count, cols } = centres;
  const unit = new Float64Array(count);
  return marginModel({
    owner: "rbf",
    outputs,
    cols,
    link,
    margins: (cells, at, out) => {
      unitsInto(centres, rates, cells, at, unit);
      for (let j = 0; j < out.length; j++) {
        let sum = intercepts[j]!;
        for (let h = 0; h < count; h++) sum += weights[j * count + h]! * unit[h]!;
        out[j] = sum;
      }
    },
    jacobian: (cells, at, out) => {
      unitsInto(centres, rates, cells, at, unit);
      out.fill(0);
      for (let j = 0; j < intercepts.length; j++) {
        for (let h = 0; h < count; h++) {
          const pull = 2 * weights[j * count + h]! * unit[h]! * rates[h]!;
          for (let k = 0; k < cols; k++)
            out[j * cols + k]! += pull * (centres.data[h * cols + k]! - cells[at + k]!);
        }
      }
    },
    toJSON: () => ({
      type: "rbf",
      version: SAVED_VERSION,
      outputs,
      link,
      units: count,
      cols,
      centres: Array.from(centres.data),
      rates: Array.from(rates),
      weights: Array.from(weights),
      intercepts: Array.from(intercepts),
    }),
  });
}

export function loadRbf(saved: Saved): SmoothModel {
  const outputs = saved.texts("outputs", 2);
  const link = saved.choice("link", LINKS);
  saved.check(link === "softmax" || outputs.length === 2, `"link" ${link} needs two outputs`);
  const margins = link === "softmax" ? outputs.length : 1;
  const rows = saved.whole("units", 1, 1e6);
  const cols = saved.whole("cols", 1, 1e6);
  const units: Units = {
    centres: { data: saved.numbers("centres", rows * cols), rows, cols },
    rates: saved.numbers("rates", rows),
    weights: saved.numbers("weights", margins * rows),
    intercepts: saved.numbers("intercepts", margins),
  };
  return rbfModel(outputs, units, link);
}

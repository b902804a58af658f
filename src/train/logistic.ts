import { type LinearWeights, linearModel } from "../model/linear.ts";
import { logSumExp, softmaxInto } from "../model/loss.ts";
import type { SmoothModel } from "../model/row-model.ts";
import { finish, inSteps, inStretches, type Steps } from "../model/steps.ts";
import { addOuter, addScaled } from "../num/linalg.ts";
import { type ConvexFunction, newtonSteps } from "../num/newton.ts";
import { outerSum } from "../num/outer.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { authorsLinear } from "./authors.ts";
import { number, oneOf, resolveOptions } from "./options.ts";
import { type ClassTask, classTask, type FitOptions, streamOf } from "./training.ts";

export interface LogisticOptions extends FitOptions {
  /** Inverse strength of the L2 penalty. Default 1. */
  readonly c?: number;
  /** `sklearn` (default): the penalised optimum. `authors`: Linear + sigmoid, squared loss, 300 steps of Adam. */
  readonly variant?: "sklearn" | "authors";
}

/**
 * Logistic regression: min ½‖w‖² + c Σ_i s_i · loss(y_i, m(x_i)) with logistic loss for two classes and
 * multinomial loss for more; the intercept is not penalised. Solved by Newton's method to the optimum, where
 * scikit-learn's default solver stops a little earlier.
 */
export function fitLogistic(
  x: Matrix,
  y: ArrayLike<number>,
  options: LogisticOptions = {},
  random?: Random | number,
): SmoothModel {
  return finish(logisticSteps(x, y, options, random));
}

/** `fitLogistic` in short steps. */
export function* logisticSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: LogisticOptions = {},
  random?: Random | number,
): Steps<SmoothModel> {
  const { c, variant } = resolveOptions("logistic", options, {
    c: number(1, 1e-12),
    variant: oneOf<"sklearn" | "authors">("sklearn", "authors"),
  });
  const task = classTask("logistic", x, y, options);
  if (variant === "authors") {
    const weights = yield* authorsLinear("logistic", task, "logistic", streamOf(random, "logistic"));
    return linearModel("logistic", task.classes, weights, "logistic");
  }
  const link = task.classes.length === 2 ? "logistic" : "softmax";
  return linearModel("logistic", task.classes, yield* logisticWeights(task, c), link);
}

/** The weights at the optimum. */
export function* logisticWeights(task: ClassTask, c: number): Steps<LinearWeights> {
  const { cols } = task.x;
  const margins = task.classes.length === 2 ? 1 : task.classes.length;
  const f = margins === 1 ? binaryLoss(task, c) : multinomialLoss(task, c);
  const theta = yield* newtonSteps(f, new Float64Array(margins * (cols + 1)));
  const weights = { data: new Float64Array(margins * cols), rows: margins, cols };
  const intercepts = new Float64Array(margins);
  for (let j = 0; j < margins; j++) {
    weights.data.set(theta.subarray(j * (cols + 1), j * (cols + 1) + cols), j * cols);
    intercepts[j] = theta[j * (cols + 1) + cols]!;
  }
  return { weights, intercepts };
}

/** Rows whose margins and slopes are added up side by side. */
const TOGETHER = 4;

/** θ = (w, b). */
function binaryLoss({ x, labels, weights }: ClassTask, c: number): ConvexFunction {
  const { data, rows, cols } = x;
  const p = cols + 1;
  const curvature = outerSum(p);
  // The second derivative of each row's loss by its margin.
  const bends = new Float64Array(rows);
  /** Slope of a row's loss by its margin. */
  const slopes = new Float64Array(TOGETHER);
  /** The loss of a row, which leaves slope and bend. */
  const lossOf = (i: number, margin: number): number => {
    // σ(m), σ(−m) and the loss are all made of this one power.
    const e = Math.exp(-Math.abs(margin));
    const [likely, unlikely] = [1 / (1 + e), e / (1 + e)];
    const score = margin >= 0 ? likely : unlikely;
    const rest = margin >= 0 ? unlikely : likely;
    const weight = c * weights[i]!;
    const one = labels[i] === 1;
    slopes[i % TOGETHER] = weight * (one ? -rest : score);
    bends[i] = weight * score * rest;
    return weight * (Math.max(0, one ? -margin : margin) + Math.log1p(e));
  };
  /** The loss of rows in their order, added to what was before; four at a time, for one sum alone waits for each addition. */
  const look = (
    theta: Float64Array,
    first: Float64Array,
    from: number,
    to: number,
    before: number,
  ): number => {
    let loss = before;
    const last = theta[cols]!;
    let i = from;
    for (; i + TOGETHER <= to; i += TOGETHER) {
      const start = i * cols;
      let [m0, m1, m2, m3] = [0, 0, 0, 0];
      for (let k = 0, at = start; k < cols; k++, at++) {
        const weight = theta[k]!;
        m0 += weight * data[at]!;
        m1 += weight * data[at + cols]!;
        m2 += weight * data[at + 2 * cols]!;
        m3 += weight * data[at + 3 * cols]!;
      }
      loss += lossOf(i, m0 + last);
      loss += lossOf(i + 1, m1 + last);
      loss += lossOf(i + 2, m2 + last);
      loss += lossOf(i + 3, m3 + last);
      const s0 = slopes[i % TOGETHER]!;
      const s1 = slopes[(i + 1) % TOGETHER]!;
      const s2 = slopes[(i + 2) % TOGETHER]!;
      const s3 = slopes[(i + 3) % TOGETHER]!;
      for (let k = 0, at = start; k < cols; k++, at++) {
        first[k] =
          first[k]! +
          s0 * data[at]! +
          s1 * data[at + cols]! +
          s2 * data[at + 2 * cols]! +
          s3 * data[at + 3 * cols]!;
      }
      first[cols] = first[cols]! + s0 + s1 + s2 + s3;
    }
    for (; i < to; i++) {
      let margin = 0;
      for (let k = 0; k < cols; k++) margin += theta[k]! * data[i * cols + k]!;
      loss += lossOf(i, margin + last);
      const slope = slopes[i % TOGETHER]!;
      for (let k = 0; k < cols; k++) first[k]! += slope * data[i * cols + k]!;
      first[cols]! += slope;
    }
    return loss;
  };
  return function* (theta, first, second) {
    let loss = penalise(theta, p, first, second);
    if (first) {
      yield* inStretches(rows, p, (from, to) => {
        loss = look(theta, first, from, to, loss);
      });
    }
    if (second) {
      curvature.begin(second);
      yield* inStretches(rows, p * p, (from, to) => {
        for (let i = from; i < to; i++) curvature.add(data, i * cols, bends[i]!);
      });
      curvature.end();
    }
    return loss;
  };
}

/** θ = (w_1, b_1, …, w_K, b_K). */
function multinomialLoss({ x, labels, weights, classes }: ClassTask, c: number): ConvexFunction {
  const p = x.cols + 1;
  const z = new Float64Array(p).fill(1);
  const margins = new Float64Array(classes.length);
  const scores = new Float64Array(classes.length);
  return function* (theta, first, second) {
    let loss = penalise(theta, p, first, second);
    if (second) fixShift(second, p, classes.length);
    yield* inSteps(x.rows, second ? (classes.length * p) ** 2 : classes.length * p, (i) => {
      for (let k = 0; k < x.cols; k++) z[k] = x.data[i * x.cols + k]!;
      for (let j = 0; j < margins.length; j++) {
        let sum = 0;
        for (let k = 0; k < p; k++) sum += theta[j * p + k]! * z[k]!;
        margins[j] = sum;
      }
      softmaxInto(margins, scores);
      const own = labels[i]!;
      const weight = c * weights[i]!;
      loss += weight * (logSumExp(margins) - margins[own]!);
      for (let j = 0; j < margins.length; j++) {
        if (first) addScaled(first, j * p, z, weight * (scores[j]! - (j === own ? 1 : 0)));
        if (!second) continue;
        for (let l = 0; l <= j; l++) {
          addOuter(
            second,
            margins.length * p,
            j * p,
            l * p,
            z,
            weight * scores[j]! * ((j === l ? 1 : 0) - scores[l]!),
          );
        }
      }
    });
    return loss;
  };
}

/** Adds ½‖w‖² of every block of p parameters but its last, the intercept. */
function penalise(theta: Float64Array, p: number, first?: Float64Array, second?: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < theta.length; t++) {
    if (t % p === p - 1) continue;
    sum += theta[t]! ** 2 / 2;
    if (first) first[t]! += theta[t]!;
    if (second) second[t * theta.length + t]! += 1;
  }
  return sum;
}

/** Equal shifts of all intercepts change nothing; curvature along them keeps Σ b = 0 as at the start. */
function fixShift(second: Float64Array, p: number, classes: number): void {
  for (let j = 0; j < classes; j++) {
    for (let l = 0; l <= j; l++) second[(j * p + p - 1) * classes * p + l * p + p - 1]! += 1;
  }
}

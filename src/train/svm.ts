import { linearModel, loadLinear } from "../model/linear.ts";
import type { SmoothModel } from "../model/row-model.ts";
import type { Saved } from "../model/saved.ts";
import { finish, inSteps, type Steps } from "../model/steps.ts";
import { addScaled } from "../num/linalg.ts";
import { type ConvexFunction, newtonSteps } from "../num/newton.ts";
import { outerSum } from "../num/outer.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { authorsLinear } from "./authors.ts";
import { againstRest, loadParts, oneVsRest } from "./one-vs-rest.ts";
import { number, oneOf, resolveOptions, whole } from "./options.ts";
import { platt } from "./platt.ts";
import { type ClassTask, classTask, type FitOptions, streamOf } from "./training.ts";

export interface SvmOptions extends FitOptions {
  /** Inverse strength of the L2 penalty. Default 1. */
  readonly c?: number;
  /** Folds of the cross-validation behind the probabilities. Default 5. */
  readonly folds?: number;
  /**
   * `sklearn` (default): squared hinge with Platt's probabilities. `authors`: least squares on 0/1 without a
   * sigmoid; the score is the raw output, class 1 where it is above 0.5.
   */
  readonly variant?: "sklearn" | "authors";
}

/**
 * Linear support vector classifier: min ½‖(w, b)‖² + c Σ_i s_i max(0, 1 − y_i m(x_i))², y = ±1, m = w·x + b
 * (scikit-learn's LinearSVC: the intercept is penalised). The score is Platt's σ(A·m + B), fitted on
 * cross-validated margins; A > 0, so ranks are those of m. More classes: one against the rest.
 */
export function fitSvm(
  x: Matrix,
  y: ArrayLike<number>,
  options: SvmOptions = {},
  random?: Random | number,
): SmoothModel {
  return finish(svmSteps(x, y, options, random));
}

/** `fitSvm` in short steps. */
export function* svmSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: SvmOptions = {},
  random?: Random | number,
): Steps<SmoothModel> {
  const { c, folds, variant } = resolveOptions("svm", options, {
    c: number(1, 1e-12),
    folds: whole(5, 2),
    variant: oneOf<"sklearn" | "authors">("sklearn", "authors"),
  });
  const task = classTask("svm", x, y, options);
  const own = streamOf(random, "svm");
  if (variant === "authors") {
    return linearModel("svm", task.classes, yield* authorsLinear("svm", task, "identity", own), "identity");
  }
  if (task.classes.length === 2) return yield* separate(task, c, folds, own);
  const parts: SmoothModel[] = [];
  for (let k = 0; k < task.classes.length; k++) {
    parts.push(yield* separate(againstRest(task, k), c, folds, own.split(k)));
  }
  return oneVsRest("svm", task.classes, parts);
}

function* separate(task: ClassTask, c: number, folds: number, random: Random): Steps<SmoothModel> {
  const theta = yield* hyperplane(task, c);
  const { slope, offset } = yield* platt(task, theta, (part) => hyperplane(part, c), folds, random);
  const { cols } = task.x;
  const weights = { data: theta.slice(0, cols).map((w) => slope * w), rows: 1, cols };
  const intercepts = Float64Array.of(slope * theta[cols]! + offset);
  return linearModel("svm", task.classes, { weights, intercepts }, "logistic");
}

/** θ = (w, b) at the optimum. */
export function hyperplane({ x, labels, weights }: ClassTask, c: number): Steps<Float64Array> {
  const p = x.cols + 1;
  const z = new Float64Array(p).fill(1);
  const curvature = outerSum(p);
  const f: ConvexFunction = function* (theta, first, second) {
    let loss = 0;
    for (let k = 0; k < p; k++) {
      loss += theta[k]! ** 2 / 2;
      if (first) first[k]! += theta[k]!;
      if (second) second[k * p + k]! += 1;
    }
    if (second) curvature.begin(second);
    yield* inSteps(x.rows, second ? p * p : p, (i) => {
      const sign = labels[i] === 1 ? 1 : -1;
      let margin = theta[x.cols]!;
      for (let k = 0; k < x.cols; k++) margin += theta[k]! * x.data[i * x.cols + k]!;
      const short = 1 - sign * margin;
      if (short <= 0) return;
      const weight = c * weights[i]!;
      loss += weight * short * short;
      if (second) curvature.add(x.data, i * x.cols, 2 * weight);
      if (!first) return;
      for (let k = 0; k < x.cols; k++) z[k] = x.data[i * x.cols + k]!;
      addScaled(first, 0, z, -2 * weight * sign * short);
    });
    if (second) curvature.end();
    return loss;
  };
  return newtonSteps(f, new Float64Array(p));
}

export function loadSvm(saved: Saved): SmoothModel {
  const outputs = saved.texts("outputs", 2);
  if (outputs.length === 2) return loadLinear("svm", saved);
  return oneVsRest(
    "svm",
    outputs,
    loadParts(saved, outputs.length, (part) => loadLinear("svm", part)),
  );
}

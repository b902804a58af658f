import { startWork } from "../budget.ts";
import { rowModel, type SmoothModel } from "../model/row-model.ts";
import { SAVED_VERSION, type Saved } from "../model/saved.ts";
import { finish, type Steps } from "../model/steps.ts";
import { minimiseInBox } from "../num/lbfgs.ts";
import { dot, LANES, solveLowerLanes, solveLowerTransposed } from "../num/linalg.ts";
import { erf } from "../num/stats.ts";
import type { Matrix } from "../types.ts";
import {
  evidenceGradient,
  factorB,
  type Kernel,
  kernelMatrix,
  kernelRow,
  type Mode,
  posteriorMode,
} from "./laplace.ts";
import { againstRest, loadParts, oneVsRest } from "./one-vs-rest.ts";
import { number, oneOf, resolveOptions } from "./options.ts";
import { type ClassTask, classTask, type FitOptions } from "./training.ts";

export interface GpOptions extends FitOptions {
  /** Variance of the latent function. Default 1. */
  readonly constant?: number;
  /** Length scale of the Gaussian kernel. Default 1. */
  readonly length?: number;
  /**
   * Maximise the evidence over both in [1e-5, 1e5], starting from the values given. Default false: the default
   * kernel of scikit-learn's classifier is fixed.
   */
  readonly optimise?: boolean;
}

/** Bounds of log constant and log length. */
const BOX = { lower: [Math.log(1e-5), Math.log(1e-5)], upper: [Math.log(1e5), Math.log(1e5)] };
/** Largest saved model that is opened: its factor takes half a gigabyte. */
const MOST_ROWS = 8192;

/**
 * Gaussian process classifier: latent f ~ GP(0, constant · e^(−‖a−b‖²/2 length²)), P(y = 1 | f) = σ(f), by
 * Laplace's approximation (Rasmussen and Williams 2006, §3.4). More classes: one against the rest.
 */
export function fitGp(x: Matrix, y: ArrayLike<number>, options: GpOptions = {}): SmoothModel {
  return finish(gpSteps(x, y, options));
}

/** `fitGp` in short steps. */
export function* gpSteps(x: Matrix, y: ArrayLike<number>, options: GpOptions = {}): Steps<SmoothModel> {
  const { constant, length, optimise } = resolveOptions("gp", options, {
    constant: number(1, 1e-5, 1e5),
    length: number(1, 1e-5, 1e5),
    optimise: oneOf<boolean>(false, true),
  });
  const task = classTask("gp", x, y, options);
  const bytes = (optimise ? 32 : 16) * x.rows ** 2;
  startWork("gp", options).reserve(bytes, `the ${x.rows} × ${x.rows} kernel matrix and its factor`);
  const kernel = { constant, length };
  if (task.classes.length === 2) return yield* fitBinary(task, kernel, optimise);
  const parts: SmoothModel[] = [];
  for (let k = 0; k < task.classes.length; k++) {
    parts.push(yield* fitBinary(againstRest(task, k), kernel, optimise));
  }
  return oneVsRest("gp", task.classes, parts);
}

function* fitBinary(task: ClassTask, start: Kernel, optimise: boolean): Steps<SmoothModel> {
  const { x, labels, weights } = task;
  let kernel = start;
  if (optimise) {
    const theta = Float64Array.of(Math.log(start.constant), Math.log(start.length));
    yield* minimiseInBox((at, gradient) => negativeEvidence(task, at, gradient), theta, BOX);
    kernel = kernelOf(theta);
  }
  const mode = yield* posteriorMode(yield* kernelMatrix(x, kernel), labels, weights);
  return gpModel(task.classes, { data: x.data.slice(), rows: x.rows, cols: x.cols }, kernel, mode);
}

function kernelOf(theta: Float64Array): Kernel {
  return { constant: Math.exp(theta[0]!), length: Math.exp(theta[1]!) };
}

function* negativeEvidence(task: ClassTask, theta: Float64Array, gradient: Float64Array): Steps<number> {
  const kernel = kernelOf(theta);
  const k = yield* kernelMatrix(task.x, kernel);
  const mode = yield* posteriorMode(k, task.labels, task.weights);
  const slope = yield* evidenceGradient(task.x, kernel, k, mode);
  for (let p = 0; p < 2; p++) gradient[p] = -slope[p]!;
  return -mode.evidence;
}

/**
 * σ(t) ≈ Σ_j COEFS_j · ½(1 + erf(LAMBDAS_j t)) (Williams and Barber 1998, Appendix A; the constants
 * scikit-learn uses), whose mean over t ~ N(m, v) is closed: erf(λ m / √(1 + 2 λ² v)).
 */
const LAMBDAS = [0.41, 0.4, 0.37, 0.44, 0.39];
const COEFS = [-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654];

function averageScore(mean: number, variance: number): number {
  let sum = 0;
  LAMBDAS.forEach((lambda, j) => {
    sum += (COEFS[j]! / 2) * (1 + erf((lambda * mean) / Math.sqrt(1 + 2 * lambda * lambda * variance)));
  });
  return sum;
}

/** ∂averageScore/∂(mean, variance). */
function averageSlope(mean: number, variance: number): readonly [number, number] {
  let byMean = 0;
  let byVariance = 0;
  LAMBDAS.forEach((lambda, j) => {
    const spread = 1 + 2 * lambda * lambda * variance;
    const u = (lambda * mean) / Math.sqrt(spread);
    const density = (COEFS[j]! / Math.sqrt(Math.PI)) * Math.exp(-u * u);
    byMean += (density * lambda) / Math.sqrt(spread);
    byVariance -= (density * u * lambda * lambda) / spread;
  });
  return [byMean, byVariance];
}

function gpModel(
  outputs: readonly string[],
  x: Matrix,
  kernel: Kernel,
  { pulls, root, factor }: Pick<Mode, "pulls" | "root"> & { readonly factor?: Float64Array },
): SmoothModel {
  const n = x.rows;
  const near = new Float64Array(n);
  const lanes = new Float64Array(LANES * n);
  const means = new Float64Array(LANES);
  const variances = new Float64Array(LANES);
  let known = factor;
  /**
   * Means and variances of the latent values at `count` rows; leaves k(x, z) of the last one in `near` and
   * L⁻¹ W^½ k of all in `lanes`.
   */
  const latent = (cells: Float64Array, at: number, count: number): void => {
    known ??= finish(refactor(x, kernel, root));
    if (count < LANES) lanes.fill(0);
    for (let lane = 0; lane < count; lane++) {
      kernelRow(x, kernel, cells, at + lane * x.cols, near);
      means[lane] = dot(near, 0, pulls, 0, n);
      for (let i = 0; i < n; i++) lanes[LANES * i + lane] = root[i]! * near[i]!;
    }
    solveLowerLanes(known, n, lanes);
    variances.fill(kernel.constant);
    for (let p = 0; p < lanes.length; p++) variances[p % LANES]! -= lanes[p]! ** 2;
    for (let lane = 0; lane < count; lane++) variances[lane] = Math.max(0, variances[lane]!);
  };
  return rowModel({
    owner: "gp",
    outputs,
    cols: x.cols,
    block: LANES,
    scores: (cells, at, out, count) => {
      latent(cells, at, count);
      for (let lane = 0; lane < count; lane++) {
        out[2 * lane + 1] = averageScore(means[lane]!, variances[lane]!);
        out[2 * lane] = 1 - out[2 * lane + 1]!;
      }
    },
    gradient: (cells, at, output, out) => {
      latent(cells, at, 1);
      const [byMean, byVariance] = averageSlope(means[0]!, variances[0]!);
      const solved = near.map((_, i) => lanes[LANES * i]!);
      solveLowerTransposed(known!, n, solved);
      const sign = output === 1 ? 1 : -1;
      out.fill(0);
      for (let i = 0; i < n; i++) {
        const pull = byMean * pulls[i]! - 2 * byVariance * root[i]! * solved[i]!;
        const towards = (sign * pull * near[i]!) / kernel.length ** 2;
        for (let k = 0; k < x.cols; k++) out[k]! += towards * (x.data[i * x.cols + k]! - cells[at + k]!);
      }
    },
    toJSON: () => ({
      type: "gp",
      version: SAVED_VERSION,
      outputs,
      constant: kernel.constant,
      length: kernel.length,
      cols: x.cols,
      rows: Array.from(x.data),
      pulls: Array.from(pulls),
      root: Array.from(root),
    }),
  });
}

function* refactor(x: Matrix, kernel: Kernel, root: Float64Array): Steps<Float64Array> {
  const k = yield* kernelMatrix(x, kernel);
  const factor = new Float64Array(k.length);
  yield* factorB(k, root, factor);
  return factor;
}

/** The factor is not saved (it grows with the square of the rows) but made again by the first prediction. */
export function loadGp(saved: Saved): SmoothModel {
  const outputs = saved.texts("outputs", 2);
  if (outputs.length > 2) {
    return oneVsRest("gp", outputs, loadParts(saved, outputs.length, loadGp));
  }
  const cols = saved.whole("cols", 1);
  const root = saved.numbers("root");
  const n = root.length;
  const kernel = { constant: saved.number("constant"), length: saved.number("length") };
  saved.check(n >= 1 && n <= MOST_ROWS, `"root" must have 1 … ${MOST_ROWS} entries`);
  saved.check(
    root.every((r) => r >= 0 && r < 1e6),
    `"root" must be in [0, 1e6)`,
  );
  saved.check(kernel.constant > 0 && kernel.length > 0, `"constant" and "length" must be above 0`);
  const rows = { data: saved.numbers("rows", n * cols), rows: n, cols };
  return gpModel(outputs, rows, kernel, { pulls: saved.numbers("pulls", n), root });
}

import { ColaError } from "../errors.ts";
import { sigmoid } from "../model/link.ts";
import { logSumExp, softmaxInto, softplus } from "../model/loss.ts";
import { networkBounds } from "../model/network/bound.ts";
import { marginModel, type SmoothModel } from "../model/row-model.ts";
import { SAVED_VERSION, type Saved } from "../model/saved.ts";
import { finish, type Steps } from "../model/steps.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { descend } from "./adam.ts";
import { authorsNetwork } from "./authors.ts";
import {
  forward,
  initialise,
  inputSlope,
  layersOf,
  type Network,
  network,
  networkLoss,
  scratchOf,
} from "./network.ts";
import { number, oneOf, resolveOptions, sizes, whole } from "./options.ts";
import { type ClassTask, classTask, type FitOptions, streamOf } from "./training.ts";

export interface MlpOptions extends FitOptions {
  /** Units of the hidden layers. Default [100]. */
  readonly hidden?: readonly number[];
  /** Default `relu`. */
  readonly activation?: "relu" | "tanh";
  /** Step of Adam. Default 0.001. */
  readonly rate?: number;
  /** Passes over the rows, at most. Default 200. */
  readonly epochs?: number;
  /** Rows per step. Default 200. */
  readonly batch?: number;
  /** Strength of the L2 penalty on weights (biases are free). Default 1e-4. */
  readonly l2?: number;
  /** The loss must fall by this much within `patience` epochs, or training ends. Default 1e-4. */
  readonly tolerance?: number;
  /** Default 10. */
  readonly patience?: number;
  /** `sklearn` (default), or `authors`: d → 10 → 10 → 1 with ReLU and sigmoid under squared loss. */
  readonly variant?: "sklearn" | "authors";
}

const RULES = {
  hidden: sizes([100]),
  activation: oneOf<"relu" | "tanh">("relu", "tanh"),
  rate: number(0.001, 1e-9, 10),
  epochs: whole(200, 1),
  batch: whole(200, 1),
  l2: number(1e-4, 0),
  tolerance: number(1e-4, 0),
  patience: whole(10, 0),
  variant: oneOf<"sklearn" | "authors">("sklearn", "authors"),
};

/**
 * A dense network trained by Adam on the log loss plus l2/2 Σ‖W‖² / batch, weights starting uniform in
 * ±√(6 / (in + out)); one logistic output for two classes, softmax for more (scikit-learn's MLPClassifier).
 */
export function fitMlp(
  x: Matrix,
  y: ArrayLike<number>,
  options: MlpOptions = {},
  random?: Random | number,
): SmoothModel {
  return finish(mlpSteps(x, y, options, random));
}

/** `fitMlp` in short steps. */
export function* mlpSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: MlpOptions = {},
  random?: Random | number,
): Steps<SmoothModel> {
  const settings = resolveOptions("mlp", options, RULES);
  const task = classTask("mlp", x, y, options);
  const own = streamOf(random, "mlp");
  const training =
    settings.variant === "authors"
      ? authorsNetwork("mlp", task, [10, 10], "logistic", own)
      : train(task, settings, own);
  const { net, theta } = yield* training;
  if (!theta.every(Number.isFinite)) {
    throw new ColaError(
      "FIT_FAILED",
      "mlp: training diverged; standardise the columns (mean 0, sd 1) or lower options.rate.",
      { rate: settings.rate },
    );
  }
  return mlpModel(task.classes, net, theta);
}

type Settings = Omit<Required<MlpOptions>, keyof FitOptions>;

function* train(
  task: ClassTask,
  settings: Settings,
  random: Random,
): Steps<{ net: Network; theta: Float64Array }> {
  const { x, labels, weights, classes } = task;
  const margins = classes.length === 2 ? 1 : classes.length;
  const net = network([x.cols, ...settings.hidden, margins], settings.activation);
  const theta = initialise(
    net,
    (inputs, outputs) => Math.sqrt(6 / (inputs + outputs)),
    random.split("start"),
  );
  const add = networkLoss(net, task, (row, i, delta) => logLoss(row, labels[i]!, delta));
  const penalty = (at: Float64Array, size: number, gradient: Float64Array): number =>
    shrink(net, at, settings.l2 / size, gradient);
  yield* descend(theta, { weights, add, penalty }, settings, random.split("order"));
  return { net, theta };
}

/** −log score of the label; writes its derivative by the margins, score − 1[label]. */
function logLoss(margins: Float64Array, label: number, delta: Float64Array): number {
  if (margins.length === 1) {
    delta[0] = sigmoid(margins[0]!) - label;
    return softplus(label === 1 ? -margins[0]! : margins[0]!);
  }
  softmaxInto(margins, delta);
  delta[label]! -= 1;
  return logSumExp(margins) - margins[label]!;
}

/** Adds factor · W to the gradient; returns factor/2 Σ‖W‖². */
function shrink(net: Network, theta: Float64Array, factor: number, gradient: Float64Array): number {
  let sum = 0;
  net.starts.forEach((start, l) => {
    const end = start + net.sizes[l]! * net.sizes[l + 1]!;
    for (let p = start; p < end; p++) {
      gradient[p]! += factor * theta[p]!;
      sum += theta[p]! ** 2;
    }
  });
  return (factor / 2) * sum;
}

function mlpModel(outputs: readonly string[], net: Network, theta: Float64Array): SmoothModel {
  const scratch = scratchOf(net, 1);
  const [cols] = net.sizes;
  const link = outputs.length === 2 ? "logistic" : "softmax";
  return marginModel({
    owner: "mlp",
    outputs,
    cols: cols!,
    link,
    bound: networkBounds({ layers: layersOf(net, theta), single: false }, outputs.length, link),
    margins: (cells, at, out) => out.set(forward(net, theta, cells, at, 1, scratch)),
    jacobian: (cells, at, out) => {
      const margins = forward(net, theta, cells, at, 1, scratch).length;
      for (let m = 0; m < margins; m++) {
        inputSlope(net, theta, scratch, m, out.subarray(m * cols!, (m + 1) * cols!));
      }
    },
    toJSON: () => ({
      type: "mlp",
      version: SAVED_VERSION,
      outputs,
      activation: net.activation,
      sizes: net.sizes,
      parameters: Array.from(theta),
    }),
  });
}

export function loadMlp(saved: Saved): SmoothModel {
  const outputs = saved.texts("outputs", 2);
  const layers = Array.from(saved.numbers("sizes"));
  const margins = outputs.length === 2 ? 1 : outputs.length;
  const fits = layers.every((n) => Number.isInteger(n) && n >= 1 && n <= 1e6);
  saved.check(fits && layers.length >= 2 && layers.at(-1) === margins, `"sizes" must end in ${margins}`);
  const net = network(layers, saved.choice("activation", ["relu", "tanh"]));
  return mlpModel(outputs, net, saved.numbers("parameters", net.parameters));
}

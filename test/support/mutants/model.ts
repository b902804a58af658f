/** Small wrong twins of a fitted classifier, each with the law of the contract that must refuse it. */

import { boundOf } from "../../../src/model/bound.ts";
import type { SmoothModel } from "../../../src/model/row-model.ts";
import { finish } from "../../../src/model/steps.ts";
import { loadModel } from "../../../src/read/load.ts";
import { evidenceGradient } from "../../../src/train/laplace.ts";
import { fitLogistic, type LogisticOptions } from "../../../src/train/logistic.ts";
import { networkLoss } from "../../../src/train/network.ts";
import { fitQda } from "../../../src/train/qda.ts";
import { authorsLoss } from "../../../src/train/rbf.ts";
import { hyperplane } from "../../../src/train/svm.ts";
import type { ClassTask } from "../../../src/train/training.ts";
import type { LinearStructure, Matrix, Model } from "../../../src/types.ts";

type Scores = (rows: Matrix, output?: number) => Float64Array;
const scoresOf = (model: Model): Scores => model.predict.bind(model) as Scores;
const withPredict = (model: Model, predict: Scores): Model => ({ ...model, predict });

type Range = readonly [low: number, high: number];
const withRange = (model: Model, change: (range: Range) => Range): Model => ({
  ...model,
  bound: (output) => {
    const own = boundOf(model, output)!;
    return { ...own, range: (box) => change(own.range(box)) };
  },
});

export const modelMutants: Readonly<Record<string, { law: string; mutate(model: Model): Model }>> = {
  "loses the last row": {
    law: "shape",
    mutate: (model) => withPredict(model, (rows, o) => scoresOf(model)(rows, o).slice(0, rows.rows - 1)),
  },
  "divides by zero somewhere": {
    law: "finite",
    mutate: (model) =>
      withPredict(model, (rows, o) => scoresOf(model)(rows, o).map((s, i) => (i === 3 ? Number.NaN : s))),
  },
  "scales its input in place": {
    law: "inputs unchanged",
    mutate: (model) =>
      withPredict(model, (rows, o) => {
        const scores = scoresOf(model)(rows, o);
        rows.data[0]! += 1e-12;
        return scores;
      }),
  },
  "remembers the last call": {
    law: "determinism",
    mutate: (model) => {
      let calls = 0;
      return withPredict(model, (rows, o) => scoresOf(model)(rows, o).map((s) => s + 1e-12 * calls++));
    },
  },
  "scores the first output when none is named": {
    law: "default output",
    mutate: (model) => withPredict(model, (rows, o = 0) => scoresOf(model)(rows, o)),
  },
  "normalises within the batch": {
    law: "batch size",
    mutate: (model) =>
      withPredict(model, (rows, o) => {
        const scores = scoresOf(model)(rows, o);
        const mean = scores.reduce((sum, s) => sum + s, 0) / scores.length;
        return scores.map((s) => s - 1e-9 * mean);
      }),
  },
  "takes another path for one row": {
    law: "single rows",
    mutate: (model) =>
      withPredict(model, (rows, o) => scoresOf(model)(rows, o).map((s) => (rows.rows === 1 ? s + 1e-15 : s))),
  },
  "feels the place of a row": {
    law: "permutation",
    mutate: (model) => withPredict(model, (rows, o) => scoresOf(model)(rows, o).map((s, i) => s + 1e-14 * i)),
  },
  "gives both outputs the same score": {
    law: "probabilities",
    mutate: (model) => withPredict(model, (rows) => scoresOf(model)(rows, 1)),
  },
  "returns the gradient of the margin": {
    law: "gradient",
    mutate: (model) => ({
      ...model,
      gradient: (rows, o) => {
        const { data, ...shape } = model.gradient!(rows, o);
        const scores = scoresOf(model)(rows, o);
        const slope = (c: number): number => scores[Math.floor(c / rows.cols)]! ** 2;
        return { ...shape, data: data.map((g, c) => g / (Math.sqrt(slope(c)) - slope(c))) };
      },
    }),
  },
  "forgets the sign of the other output": {
    law: "gradient",
    mutate: (model) => ({ ...model, gradient: (rows) => model.gradient!(rows, 1) }),
  },
  "forgets the intercept in its structure": {
    law: "structure",
    mutate: (model) => ({
      ...model,
      structure: (o) => ({ ...(model.structure!(o) as LinearStructure), intercept: 0 }),
    }),
  },
  "names the wrong link": {
    law: "structure",
    mutate: (model) => ({
      ...model,
      structure: (o) => ({ ...(model.structure!(o) as LinearStructure), link: "identity" }),
    }),
  },
  "saves rounded numbers": {
    law: "save and load",
    mutate: (model) => ({
      ...model,
      toJSON: () =>
        JSON.parse(JSON.stringify(model.toJSON!()), (_, v: unknown) =>
          typeof v === "number" && !Number.isInteger(v) ? Math.fround(v) : v,
        ),
    }),
  },
  "lets a missing cell spoil the batch": {
    law: "missing values",
    mutate: (model) =>
      withPredict(model, (rows, o) =>
        rows.data.some(Number.isNaN) ? new Float64Array(rows.rows).fill(0.5) : scoresOf(model)(rows, o),
      ),
  },
  "has bounds a hair too low": {
    law: "bound",
    mutate: (model) => withRange(model, ([low, high]) => [low, high - (high - low) / 50]),
  },
  "has bounds that grow as its boxes shrink": {
    law: "bound",
    mutate: (model) =>
      withRange(model, ([low, high]) => [low - 1 / (1 + high - low), high + 1 / (1 + high - low)]),
  },
  "has bounds that are wide on a point": {
    law: "bound",
    mutate: (model) => withRange(model, ([low, high]) => [low - 1, high + 1]),
  },
  "scores another model": {
    law: "reference",
    mutate: (model) => withPredict(model, (rows, o) => scoresOf(model)(rows, o).map((s) => s + 1e-5)),
  },
};

/** Wrong twins of single fits, refused by the laws in test/model. */
export const fitMutants = {
  /** Logistic regression that penalises twice as hard as it says. */
  logistic: (x: Matrix, y: ArrayLike<number>, options: LogisticOptions = {}): SmoothModel =>
    fitLogistic(x, y, { ...options, c: (options.c ?? 1) / 2 }),
  /** Forgets the row weights. */
  unweighted: (
    x: Matrix,
    y: ArrayLike<number>,
    { weights: _, ...options }: LogisticOptions = {},
  ): SmoothModel => fitLogistic(x, y, options),
  /** A solution a thousandth away from the optimum. */
  hyperplane: (task: ClassTask, c: number): Float64Array => finish(hyperplane(task, c)).map((v) => 1.001 * v),
  /** Divides the covariance by n instead of n − 1. */
  qda: (x: Matrix, y: ArrayLike<number>): SmoothModel => {
    const saved = fitQda(x, y).toJSON() as {
      cols: number;
      classes: { factor: number[]; constant: number }[];
    };
    saved.classes.forEach((part, k) => {
      const n = Array.from(y).filter((label) => label === k).length;
      part.factor = part.factor.map((v) => v * Math.sqrt((n - 1) / n));
      part.constant -= (saved.cols / 2) * Math.log((n - 1) / n);
    });
    return loadModel(saved) as SmoothModel;
  },
  /** One weight learns a hundredth too fast. */
  networkLoss: (...[net, task, lossOf]: Parameters<typeof networkLoss>): ReturnType<typeof networkLoss> => {
    const add = networkLoss(net, task, lossOf);
    return (theta, rows, gradient) => {
      const loss = add(theta, rows, gradient);
      gradient[0]! *= 1.01;
      return loss;
    };
  },
  /** The first width learns a hundredth too fast. */
  authorsLoss: (task: ClassTask): ReturnType<typeof authorsLoss> => {
    const add = authorsLoss(task);
    return (theta, rows, gradient) => {
      const loss = add(theta, rows, gradient);
      gradient[task.x.cols ** 2]! *= 1.01;
      return loss;
    };
  },
  /** A derivative a hundredth too large. */
  evidenceGradient: (...args: Parameters<typeof evidenceGradient>): Float64Array =>
    finish(evidenceGradient(...args)).map((g) => 1.01 * g),
};

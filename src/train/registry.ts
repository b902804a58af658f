import { startWork } from "../budget.ts";
import type { EncodeOptions } from "../data/encode.ts";
import { ColaError } from "../errors.ts";
import { pursue, type Steps } from "../model/steps.ts";
import type { Random } from "../num/random.ts";
import type { Matrix, Model } from "../types.ts";
import { adaboostSteps, fitAdaboost } from "./adaboost.ts";
import { baggingSteps, fitBagging } from "./bagging.ts";
import { fitForest, forestSteps } from "./forest.ts";
import { fitGp, gpSteps } from "./gp.ts";
import { fitGradboost, gradboostSteps } from "./gradboost.ts";
import { fitLightgbm, lightgbmSteps } from "./lightgbm.ts";
import { fitLogistic, logisticSteps } from "./logistic.ts";
import { fitMlp, mlpSteps } from "./mlp.ts";
import { fitQda, qdaSteps } from "./qda.ts";
import { fitRbf, rbfSteps } from "./rbf.ts";
import { fitSvm, svmSteps } from "./svm.ts";
import type { FitOptions } from "./training.ts";
import { fitTree, treeSteps } from "./tree.ts";
import { fitXgboost, xgboostSteps } from "./xgboost.ts";

/** One line of the registry. */
export interface ModelEntry {
  readonly title: string;
  /** Fits at once. */
  fit(x: Matrix, y: ArrayLike<number>, options?: FitOptions, random?: Random | number): Model;
  /** The same in short steps. */
  steps(x: Matrix, y: ArrayLike<number>, options?: FitOptions, random?: Random | number): Steps<Model>;
  /** `both`: regression too. */
  readonly task: "classification" | "both";
  /** More than two classes. */
  readonly multiclass: boolean;
  /** Rows may have missing values. */
  readonly missing: boolean;
  /** The fitted model has `gradient`. */
  readonly differentiable: boolean;
}

const SMOOTH = { task: "classification", multiclass: true, missing: false, differentiable: true } as const;
const TREES = { task: "both", multiclass: true, missing: true, differentiable: false } as const;

/** The models that can be trained here, by name. Contract tests run over every line. */
export const models = {
  logistic: { title: "Logistic regression", fit: fitLogistic, steps: logisticSteps, ...SMOOTH },
  svm: { title: "Linear support vector machine", fit: fitSvm, steps: svmSteps, ...SMOOTH },
  mlp: { title: "Neural network", fit: fitMlp, steps: mlpSteps, ...SMOOTH },
  rbf: { title: "Radial basis function network", fit: fitRbf, steps: rbfSteps, ...SMOOTH },
  qda: { title: "Quadratic discriminant analysis", fit: fitQda, steps: qdaSteps, ...SMOOTH },
  gp: { title: "Gaussian process", fit: fitGp, steps: gpSteps, ...SMOOTH },
  tree: { title: "Decision tree", fit: fitTree, steps: treeSteps, ...TREES },
  bagging: { title: "Bagged trees", fit: fitBagging, steps: baggingSteps, ...TREES },
  forest: { title: "Random forest", fit: fitForest, steps: forestSteps, ...TREES },
  adaboost: {
    title: "AdaBoost",
    fit: fitAdaboost,
    steps: adaboostSteps,
    ...TREES,
    task: "classification",
  },
  gradboost: { title: "Gradient boosting", fit: fitGradboost, steps: gradboostSteps, ...TREES },
  xgboost: { title: "XGBoost", fit: fitXgboost, steps: xgboostSteps, ...TREES },
  lightgbm: { title: "LightGBM", fit: fitLightgbm, steps: lightgbmSteps, ...TREES },
} as const satisfies Readonly<Record<string, ModelEntry>>;

export type ModelName = keyof typeof models;

/** The options of a model by its name. */
export type ModelOptions<Name extends ModelName> = NonNullable<Parameters<(typeof models)[Name]["fit"]>[2]>;

/**
 * Fits the model called `name` to rows x and class indices y (numbers for a regression), with pauses in which
 * aborts and limits are heard. `random` is a seed or a stream: the same data, options and seed give the same
 * model, bit by bit.
 */
export async function fit<Name extends ModelName>(
  name: Name,
  x: Matrix,
  y: ArrayLike<number>,
  options?: ModelOptions<Name>,
  random: Random | number = 0,
): Promise<Model> {
  if (!Object.hasOwn(models, name)) {
    const names = Object.keys(models);
    throw new ColaError(
      "NAME_UNKNOWN",
      `fit: there is no model "${name}"; the models are ${names.join(", ")}.`,
      {
        name,
        names,
      },
    );
  }
  const entry: ModelEntry = models[name];
  const work = startWork(name, options);
  work.check();
  return pursue(entry.steps(x, y, options, random), work);
}

/** Levels of a feature that have a column of their own: hundreds of rare ones cost much and teach little. */
const LEVELS = 32;

/** How a table is encoded for a classifier: raw numbers with gaps where it can read them, else standardised ones. */
export function encodingFor(name: ModelName): EncodeOptions {
  return { levels: LEVELS, ...(models[name].missing ? { numeric: "raw", missing: "keep" } : {}) };
}

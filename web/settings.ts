import type { Overlay } from "../src/data/overlay.ts";
import type { Feature } from "../src/types.ts";
import type { Settings } from "./engine/protocol.ts";

/** What a person set for one feature; absent fields are as the schema has them. */
export interface FeatureEdit {
  readonly immutable?: boolean;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly direction?: "up" | "down" | undefined;
}

export type FeatureEdits = Readonly<Record<string, FeatureEdit>>;

export type Choices = Omit<Settings, "overlay">;

export const defaultChoices: Choices = {
  model: "logistic",
  target: "",
  generator: "knn",
  coupling: "",
  policy: "",
  goal: "each",
  effect: 1,
  rows: 100,
  alternatives: 0,
  perRow: null,
  seed: 0,
};

/** The feature as it counts in the next run. */
export function edited(feature: Feature, edits: FeatureEdits): FeatureEdit & { readonly immutable: boolean } {
  const own: FeatureEdit = {
    ...(feature.min === undefined ? {} : { min: feature.min }),
    ...(feature.max === undefined ? {} : { max: feature.max }),
    ...(feature.direction === undefined ? {} : { direction: feature.direction }),
  };
  return { ...own, immutable: feature.immutable ?? false, ...edits[feature.name] };
}

/** Is nothing left between the smallest and the largest value? */
export function isEmptyRange({ immutable, min, max }: FeatureEdit): boolean {
  return !immutable && min !== undefined && max !== undefined && min > max;
}

/** The table that comes with the page. */
export function isEmbedded({ source }: { readonly source: string }): boolean {
  return source.includes("embedded");
}

/** Constraints as the library and the command line take them. */
export function overlayOf(edits: FeatureEdits): Overlay {
  return { features: edits as NonNullable<Overlay["features"]> };
}

/** The models and generators on offer. Titles are said here, so that the page need not load what they name. */
export const modelTitles: Readonly<Record<string, string>> = {
  logistic: "Logistic regression",
  svm: "Linear support vector machine",
  mlp: "Neural network",
  rbf: "Radial basis function network",
  qda: "Quadratic discriminant analysis",
  gp: "Gaussian process",
  tree: "Decision tree",
  bagging: "Bagged trees",
  forest: "Random forest",
  adaboost: "AdaBoost",
  gradboost: "Gradient boosting",
  xgboost: "XGBoost",
  lightgbm: "LightGBM",
};

export const generatorTitles: Readonly<Record<string, string>> = {
  knn: "Nearest neighbours at the target",
  nice: "NICE",
  direct: "Direct: one edit, then two, …",
  "dice-random": "DiCE, random",
  "dice-genetic": "DiCE, genetic",
  "dice-kdtree": "DiCE, k-d tree",
  "dice-gradient": "DiCE, gradient",
  ares: "AReS: rules for the group",
  "globe-ce": "GLOBE-CE: directions for the group",
  discount: "DISCOUNT: the group's distribution",
};

export const couplingTitles: Readonly<Record<string, string>> = {
  match: "Best counterfactual per person",
  transport: "Optimal transport",
  sinkhorn: "Entropic transport",
  nearest: "Nearest",
  exact: "Known pairs",
  coarsened: "Same bins",
  uniform: "Everyone with everyone",
  random: "Random",
};

export const policyTitles: Readonly<Record<string, string>> = {
  minimal: "Fewest edits, proven",
  greedy: "Greedy by attribution",
  top: "Largest attributions",
  sample: "Drawn by attribution (paper)",
};

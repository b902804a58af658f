import type { Trees } from "../../types.ts";
import { openSaved, SAVED_VERSION, type Saved } from "../saved.ts";
import { treeKernels } from "./kernels.ts";
import { NODE } from "./structure.ts";

/** A model made of forests. */
export interface TreeModel {
  /** Which fit made it. */
  readonly name: (typeof TREE_NAMES)[number];
  readonly outputs: readonly string[];
  /** Columns it reads. */
  readonly cols: number;
  /** One forest per output; two outputs with one forest: it is the second's, and the first is its complement. */
  readonly forests: readonly Trees[];
}

/** The fits that make tree models. */
const TREE_NAMES = ["tree", "bagging", "forest", "adaboost", "gradboost", "xgboost", "lightgbm"] as const;
const LINKS = ["identity", "logistic", "softmax"] as const;

/**
 * A tree model as JSON. Forests of one shape share it; splits and leaves stand in the order of their nodes,
 * and a right child follows its left sibling, as the growers number them.
 */
export function savedTrees({ name, outputs, cols, forests }: TreeModel): object {
  const shapes = [...new Set(forests.map((trees) => trees.feature))];
  const first = (feature: Int32Array): Trees => forests.find((trees) => trees.feature === feature)!;
  return {
    type: "trees",
    version: SAVED_VERSION,
    name,
    outputs,
    cols,
    link: forests[0]!.link,
    shapes: shapes.map((feature) => savedShape(first(feature))),
    forests: forests.map((trees) => ({
      shape: shapes.indexOf(trees.feature),
      base: trees.base,
      value: Array.from(trees.value.filter((_, v) => trees.feature[v]! < 0)),
    })),
  };
}

function savedShape(trees: Trees): object {
  const atSplits = (values: ArrayLike<number>): number[] =>
    Array.from(values).filter((_, v) => trees.feature[v]! >= 0);
  return {
    roots: Array.from(trees.roots),
    feature: Array.from(trees.feature),
    threshold: atSplits(trees.threshold),
    left: atSplits(trees.left),
    missingLeft: atSplits(trees.flags),
  };
}

/** The parts of a saved tree model; MODEL_FILE_INVALID unless every node belongs to exactly one tree. */
export function openTrees(json: unknown): TreeModel {
  const saved = openSaved(json, "trees");
  saved.choice("type", ["trees"]);
  saved.whole("version", SAVED_VERSION, SAVED_VERSION);
  const name = saved.choice("name", TREE_NAMES);
  const outputs = saved.texts("outputs", 1);
  const cols = saved.whole("cols", 1);
  const link = saved.choice("link", LINKS);
  const shapes = saved.children("shapes").map((shape) => openShape(shape, cols));
  const forests = saved.children("forests").map((forest): Trees => {
    const shape = shapes[forest.whole("shape", 0, shapes.length - 1)]!;
    return { ...shape, link, base: forest.number("base"), value: spread(shape.feature, forest) };
  });
  const complete = forests.length === outputs.length || (outputs.length === 2 && forests.length === 1);
  saved.check(complete, `"forests" must have one entry per output`);
  return { name, outputs, cols, forests };
}

/** Leaf values back at their nodes. */
function spread(feature: Int32Array, forest: Saved): Float64Array {
  const leaves = feature.reduce((count, k) => count + (k < 0 ? 1 : 0), 0);
  const values = forest.numbers("value", leaves);
  let next = 0;
  return Float64Array.from(feature, (k) => (k < 0 ? values[next++]! : 0));
}

function openShape(saved: Saved, cols: number): Omit<Trees, "base" | "link" | "value"> {
  const feature = Int32Array.from(saved.numbers("feature"));
  const splits = feature.reduce((count, k) => count + (k < 0 ? 0 : 1), 0);
  const thresholds = saved.numbers("threshold", splits);
  const lefts = saved.numbers("left", splits);
  const missing = saved.numbers("missingLeft", splits);
  const roots = Int32Array.from(saved.numbers("roots"));
  const threshold = new Float64Array(feature.length);
  const left = new Int32Array(feature.length).fill(-1);
  const flags = new Uint8Array(feature.length);
  let next = 0;
  feature.forEach((k, v) => {
    if (k < 0) return;
    threshold[v] = thresholds[next]!;
    left[v] = lefts[next]!;
    flags[v] = missing[next++]! === 0 ? 0 : NODE.missingLeft;
  });
  const right = left.map((v) => (v < 0 ? -1 : v + 1));
  saved.check(
    feature.every((k) => k < cols),
    `"feature" must be below ${cols}`,
  );
  saved.check(isForest(roots, feature, left), "must give every node one parent before it");
  const rules = { kind: "trees", inclusive: true, float32: false, kernels: treeKernels } as const;
  return { ...rules, roots, feature, threshold, left, right, flags };
}

/** Every node is a root or the child of one earlier node. */
function isForest(roots: Int32Array, feature: Int32Array, left: Int32Array): boolean {
  const parents = new Int32Array(feature.length);
  for (const root of roots) {
    if (root < 0 || root >= feature.length) return false;
    parents[root]!++;
  }
  for (let v = 0; v < feature.length; v++) {
    if (feature[v]! < 0) continue;
    if (left[v]! <= v || left[v]! + 1 >= feature.length) return false;
    parents[left[v]!]!++;
    parents[left[v]! + 1]!++;
  }
  return parents.every((count) => count === 1);
}

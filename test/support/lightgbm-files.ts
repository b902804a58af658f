import type { Random } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";

/** One tree in the form of a LightGBM file. */
export interface LightgbmTree {
  split_feature: number[];
  threshold: number[];
  decision_type: number[];
  left_child: number[];
  right_child: number[];
  leaf_value: number[];
  cat_boundaries: number[];
  cat_threshold: number[];
}

export interface LightgbmSpec {
  readonly objective?: string;
  readonly cols?: number;
  readonly groups?: number;
  readonly rounds?: number;
  readonly average?: boolean;
  readonly categorical?: readonly number[];
}

export interface LightgbmFile {
  readonly spec: Required<LightgbmSpec>;
  readonly trees: LightgbmTree[];
}

const CATEGORIES = 70;
const grid = (random: Random): number => random.int(9) / 2 - 2;

/** On the grid, at the edge of zero, or where only missing values are parted from the others. */
function thresholdOf(random: Random): number {
  const kind = random.int(8);
  return kind < 2 ? 1.0000000180025095e-35 : kind === 2 ? Number.POSITIVE_INFINITY : grid(random);
}

/** A random LightGBM model: every missing type, both default directions, categorical sets of one to three words. */
export function lightgbmFile(random: Random, given: LightgbmSpec = {}): LightgbmFile {
  const spec = {
    objective: "binary sigmoid:1",
    cols: 4,
    groups: 1,
    rounds: 5,
    average: false,
    categorical: [],
    ...given,
  };
  const trees = Array.from({ length: spec.rounds * spec.groups }, () =>
    lightgbmTree(random, spec.cols, spec.categorical),
  );
  return { spec, trees };
}

function lightgbmTree(random: Random, cols: number, categorical: readonly number[]): LightgbmTree {
  const tree: LightgbmTree = {
    split_feature: [],
    threshold: [],
    decision_type: [],
    left_child: [],
    right_child: [],
    leaf_value: [],
    cat_boundaries: [0],
    cat_threshold: [],
  };
  const grow = (depth: number): number => {
    if (depth === 3 || (depth > 0 && random.next() < 0.3)) return -tree.leaf_value.push(random.normal() / 3);
    const v = tree.split_feature.length;
    const column = random.int(cols);
    const isCategory = categorical.includes(column);
    tree.split_feature.push(column);
    tree.decision_type.push(isCategory ? 1 : 4 * random.int(3) + 2 * random.int(2));
    tree.left_child.push(0);
    tree.right_child.push(0);
    if (isCategory) {
      const words = 1 + random.int(3);
      tree.threshold.push(tree.cat_boundaries.length - 1);
      for (let w = 0; w < words; w++) tree.cat_threshold.push(random.int(2 ** 31) * 2 + random.int(2));
      tree.cat_boundaries.push(tree.cat_threshold.length);
    } else tree.threshold.push(thresholdOf(random));
    tree.left_child[v] = grow(depth + 1);
    tree.right_child[v] = grow(depth + 1);
    return v;
  };
  grow(random.int(6) === 0 ? 3 : 0);
  return tree;
}

/** The text as `save_model` writes it. */
export function lightgbmText({ spec, trees }: LightgbmFile): string {
  const blocks = trees.map((tree, t) => {
    const cats = tree.cat_boundaries.length - 1;
    const lists = Object.entries(tree).filter(([key]) => cats > 0 || !key.startsWith("cat_")) as [
      string,
      number[],
    ][];
    return [
      `Tree=${t}`,
      `num_leaves=${tree.leaf_value.length}`,
      `num_cat=${cats}`,
      ...lists.map(([key, list]) => `${key}=${list.join(" ").replaceAll("Infinity", "inf")}`),
      "is_linear=0",
      "shrinkage=0.1",
      "",
      "",
    ].join("\n");
  });
  const header = [
    "tree",
    "version=v4",
    `num_class=${spec.groups}`,
    `num_tree_per_iteration=${spec.groups}`,
    "label_index=0",
    `max_feature_idx=${spec.cols - 1}`,
    ...(spec.objective === "" ? [] : [`objective=${spec.objective}`]),
    ...(spec.average ? ["average_output"] : []),
    `feature_names=${Array.from({ length: spec.cols }, (_, k) => `f${k}`).join(" ")}`,
    `feature_infos=${Array.from({ length: spec.cols }, () => "[-2:2]").join(" ")}`,
    `tree_sizes=${blocks.map((block) => block.length).join(" ")}`,
    "",
  ];
  const tail = [
    "end of trees",
    "",
    "feature_importances:",
    "",
    "parameters:",
    "[objective: binary]",
    "end of parameters",
    "",
  ];
  return [...header, ""].join("\n") + blocks.join("") + [...tail, "pandas_categorical:null", ""].join("\n");
}

/** Grid cells with exact zeros, values within the zero band, missing cells and unknown categories. */
export function lightgbmRows(
  random: Random,
  rows: number,
  cols: number,
  categorical: readonly number[] = [],
): Matrix {
  const odd = [Number.NaN, 0, 1e-36, -1e-36, 1e-30, -1e-30];
  const data = Float64Array.from({ length: rows * cols }, (_, at) => {
    if (random.next() < 0.3) return odd[random.int(odd.length)]!;
    return categorical.includes(at % cols) ? random.int(CATEGORIES + 40) - 3 : grid(random);
  });
  return { data, rows, cols };
}

/** Raw scores by the words of the format: doubles, one tree after the other. */
export function lightgbmRaw({ spec, trees }: LightgbmFile, rows: Matrix, group: number): Float64Array {
  return Float64Array.from({ length: rows.rows }, (_, i) => {
    let sum = 0;
    trees.forEach((tree, t) => {
      if (t % spec.groups !== group) return;
      let v = tree.split_feature.length === 0 ? -1 : 0;
      while (v >= 0) {
        const z = rows.data[i * rows.cols + tree.split_feature[v]!]!;
        v = (goesLeft(tree, v, z) ? tree.left_child : tree.right_child)[v]!;
      }
      sum += tree.leaf_value[-v - 1]!;
    });
    return spec.average ? sum / spec.rounds : sum;
  });
}

function goesLeft(tree: LightgbmTree, v: number, given: number): boolean {
  const type = tree.decision_type[v]!;
  if ((type & 1) === 1) {
    if (Number.isNaN(given) || Math.trunc(given) < 0) return false;
    const c = tree.threshold[v]!;
    const word = tree.cat_boundaries[c]! + (Math.trunc(given) >>> 5);
    return (
      word < tree.cat_boundaries[c + 1]! &&
      ((tree.cat_threshold[word]! >>> (Math.trunc(given) & 31)) & 1) === 1
    );
  }
  const missing = (type >> 2) & 3;
  const z = Number.isNaN(given) && missing !== 2 ? 0 : given;
  const isMissing = (missing === 1 && Math.abs(z) <= 1e-35) || (missing === 2 && Number.isNaN(z));
  return isMissing ? (type & 2) !== 0 : z <= tree.threshold[v]!;
}

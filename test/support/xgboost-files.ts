import type { Random } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";

/** One tree in the form of an XGBoost file. */
export interface XgboostTree {
  left_children: number[];
  right_children: number[];
  split_indices: number[];
  split_conditions: number[];
  default_left: number[];
  split_type: number[];
  categories: number[];
  categories_nodes: number[];
  categories_segments: number[];
  categories_sizes: number[];
  tree_param: Record<string, string>;
}

export interface XgboostSpec {
  readonly objective?: string;
  readonly cols?: number;
  readonly groups?: number;
  readonly rounds?: number;
  readonly dart?: boolean;
  readonly baseScore?: unknown;
  /** Columns that hold categories. */
  readonly categorical?: readonly number[];
}

const CATEGORIES = 40;

/** A random XGBoost document as the library lays it out; thresholds and cells share a grid, so they meet. */
export function xgboostDocument(random: Random, spec: XgboostSpec = {}): XgboostFile {
  const { objective = "binary:logistic", cols = 4, groups = 1, rounds = 5, categorical = [] } = spec;
  const trees = Array.from({ length: rounds * groups }, () => xgboostTree(random, cols, categorical));
  const model = {
    gbtree_model_param: { num_parallel_tree: "1", num_trees: String(trees.length), size_leaf_vector: "0" },
    tree_info: trees.map((_, t) => t % groups),
    trees,
  };
  return {
    learner: {
      attributes: {},
      feature_names: Array.from({ length: cols }, (_, k) => `f${k}`),
      feature_types: [],
      gradient_booster: spec.dart
        ? {
            name: "dart",
            gbtree: { name: "gbtree", model },
            weight_drop: trees.map(() => Math.fround(random.next())),
          }
        : { name: "gbtree", model },
      learner_model_param: {
        base_score: spec.baseScore ?? "3E-1",
        num_class: objective.startsWith("multi:") ? String(groups) : "0",
        num_feature: String(cols),
        num_target: objective.startsWith("multi:") ? "1" : String(groups),
      },
      objective: { name: objective },
    },
    version: [1, 7, 4],
  };
}

export interface XgboostFile {
  learner: {
    attributes: Record<string, string>;
    feature_names: string[];
    feature_types: string[];
    gradient_booster: Record<string, unknown>;
    learner_model_param: Record<string, unknown>;
    objective: { name: string };
  };
  version: number[];
}

interface Gbtree {
  readonly tree_info: number[];
  readonly trees: XgboostTree[];
}

/** The trees of a gbtree or dart booster. */
export function gbtreeOf(file: XgboostFile): Gbtree {
  const booster = file.learner.gradient_booster as { model: Gbtree; gbtree: { model: Gbtree } };
  return booster.model ?? booster.gbtree.model;
}

const grid = (random: Random): number => random.int(9) / 2 - 2;

function xgboostTree(random: Random, cols: number, categorical: readonly number[]): XgboostTree {
  const tree: XgboostTree = {
    left_children: [],
    right_children: [],
    split_indices: [],
    split_conditions: [],
    default_left: [],
    split_type: [],
    categories: [],
    categories_nodes: [],
    categories_segments: [],
    categories_sizes: [],
    tree_param: { num_deleted: "0", num_feature: String(cols), num_nodes: "0", size_leaf_vector: "0" },
  };
  const grow = (depth: number): number => {
    const v = tree.left_children.length;
    const inner = depth < 3 && (depth === 0 || random.next() < 0.7);
    const column = random.int(cols);
    const isCategory = inner && categorical.includes(column);
    tree.left_children.push(-1);
    tree.right_children.push(-1);
    tree.split_indices.push(inner ? column : 0);
    tree.split_conditions.push(
      inner ? (isCategory ? Number.NaN : grid(random)) : Math.fround(random.normal() / 3),
    );
    tree.default_left.push(inner ? random.int(2) : 0);
    tree.split_type.push(isCategory ? 1 : 0);
    if (isCategory) {
      const chosen = [...random.sample(CATEGORIES, 1 + random.int(12))].sort((a, b) => a - b);
      tree.categories_nodes.push(v);
      tree.categories_segments.push(tree.categories.length);
      tree.categories_sizes.push(chosen.length);
      tree.categories.push(...chosen);
    }
    if (inner) {
      tree.left_children[v] = grow(depth + 1);
      tree.right_children[v] = grow(depth + 1);
    }
    return v;
  };
  grow(0);
  tree.tree_param["num_nodes"] = String(tree.left_children.length);
  return tree;
}

/** Rows on the grid of the thresholds, some cells missing; categorical columns hold whole numbers, some unknown. */
export function xgboostRows(
  random: Random,
  rows: number,
  cols: number,
  categorical: readonly number[] = [],
): Matrix {
  const data = Float64Array.from({ length: rows * cols }, (_, at) => {
    if (random.next() < 0.15) return Number.NaN;
    if (categorical.includes(at % cols)) return random.int(CATEGORIES + 30) - 2;
    return grid(random) + (random.int(3) - 1) * 1e-9;
  });
  return { data, rows, cols };
}

const f32 = Math.fround;

/** Margins by the words of the format: float32 everywhere, one tree after the other, starting at `base`. */
export function xgboostMargins(file: XgboostFile, rows: Matrix, group: number, base: number): Float64Array {
  const { tree_info: info, trees } = gbtreeOf(file);
  const weights = file.learner.gradient_booster["weight_drop"] as number[] | undefined;
  return Float64Array.from({ length: rows.rows }, (_, i) => {
    let sum = f32(base);
    trees.forEach((tree, t) => {
      if (info[t] !== group) return;
      let v = 0;
      while (tree.left_children[v] !== -1) {
        const z = f32(rows.data[i * rows.cols + tree.split_indices[v]!]!);
        v = (goesLeft(tree, v, z) ? tree.left_children : tree.right_children)[v]!;
      }
      sum = f32(sum + f32(tree.split_conditions[v]! * f32(weights?.[t] ?? 1)));
    });
    return sum;
  });
}

function goesLeft(tree: XgboostTree, v: number, z: number): boolean {
  if (Number.isNaN(z)) return tree.default_left[v] === 1;
  if (tree.split_type[v] === 0) return z < tree.split_conditions[v]!;
  const c = tree.categories_nodes.indexOf(v);
  const start = tree.categories_segments[c]!;
  return !tree.categories.slice(start, start + tree.categories_sizes[c]!).includes(Math.trunc(z));
}

/** The document as XGBoost writes it: NaN is a bare word. */
export function xgboostJson(file: object): string {
  return JSON.stringify(file, (_key, v: unknown) =>
    typeof v === "number" && Number.isNaN(v) ? "@NaN@" : v,
  ).replaceAll('"@NaN@"', "NaN");
}

/** UBJSON with typed arrays: floats as d, whole numbers as l, booleans and texts as they are. */
export function encodeUbjson(value: unknown): Uint8Array {
  const out: number[] = [];
  const big = (width: number, put: (view: DataView) => void): void => {
    const view = new DataView(new ArrayBuffer(width));
    put(view);
    out.push(...new Uint8Array(view.buffer));
  };
  const mark = (c: string): number => out.push(c.charCodeAt(0));
  const size = (n: number): void => {
    mark("L");
    big(8, (view) => view.setBigInt64(0, BigInt(n)));
  };
  const text = (s: string): void => {
    const bytes = new TextEncoder().encode(s);
    size(bytes.length);
    for (const b of bytes) out.push(b);
  };
  const numbers = (list: readonly number[]): void => {
    const whole = list.every((v) => Number.isInteger(v) && Math.abs(v) < 2 ** 31);
    mark("[");
    mark("$");
    mark(whole ? "l" : "d");
    mark("#");
    size(list.length);
    for (const v of list) big(4, (view) => (whole ? view.setInt32(0, v) : view.setFloat32(0, v)));
  };
  const write = (v: unknown): void => {
    if (typeof v === "string") {
      mark("S");
      text(v);
    } else if (typeof v === "number") {
      mark("d");
      big(4, (view) => view.setFloat32(0, v));
    } else if (typeof v === "boolean") mark(v ? "T" : "F");
    else if (v === null) mark("Z");
    else if (Array.isArray(v) && v.length > 0 && v.every((n) => typeof n === "number")) numbers(v);
    else if (Array.isArray(v)) {
      mark("[");
      for (const entry of v) write(entry);
      mark("]");
    } else {
      mark("{");
      for (const [key, entry] of Object.entries(v as object)) {
        text(key);
        write(entry);
      }
      mark("}");
    }
  };
  write(value);
  return Uint8Array.from(out);
}

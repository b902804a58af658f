import { linearKernels } from "../model/linear-kernels.ts";
import { NODE } from "../model/trees/structure.ts";
import type { Link, Matrix, Structure, Trees } from "../types.ts";
import { float32Cells, float32Margins } from "./float32.ts";
import { bitSets, type FileTree, joinTrees } from "./forest.ts";
import type { Part } from "./part.ts";
import { xgboostTree } from "./xgboost-trees.ts";

/** The scoring half of an XGBoost file. */
interface Booster {
  margins(rows: Matrix, index: number): Float64Array;
  structure(index: number): Structure;
  /** What scoring needs, in the form of the file, so that the same reader loads it again. */
  document(): object;
}

interface Setting {
  /** The margin each output starts from. */
  readonly base: Float32Array;
  readonly cols: number;
  readonly link: Link;
  /** Did the scikit-learn wrapper save it, which asks dart in its own way? */
  readonly wrapped: boolean;
  /** Boosting rounds to keep. */
  readonly iterations: number;
}

export function boosterOf(at: Part, setting: Setting): Booster {
  const name = at.has("name") ? at.at("name").text() : "gbtree";
  if (name === "gblinear") return linearBooster(at.at("model"), setting);
  if (name === "gbtree") return treeBooster(at.at("model"), undefined, setting);
  if (name === "dart")
    return treeBooster(at.at("gbtree").at("model"), at.at("weight_drop").numbers(), setting);
  throw at.at("name").error("must be gbtree, dart or gblinear");
}

/** margin_g(z) = base_g + Σ_{t of g} weight_t · value_t(z). */
function treeBooster(at: Part, weights: Float64Array | undefined, setting: Setting): Booster {
  const { base, cols, link, wrapped } = setting;
  const groups = base.length;
  const all = at.at("trees").items();
  const info = at.at("tree_info").wholes(0, groups - 1, all.length);
  if (weights && weights.length !== all.length) {
    throw at.error(`has ${all.length} trees but weight_drop ${weights.length} weights`);
  }
  const kept = Math.min(all.length, setting.iterations * groups * parallelTrees(at));
  const setOf = bitSets();
  const trees = all
    .slice(0, kept)
    .map((tree, t) =>
      xgboostTree(tree, cols, leafOf(weights && wrapped ? base[info[t]!]! : 0, weights?.[t] ?? 1), setOf),
    );
  const forests: Trees[] = Array.from(base, (start, g) =>
    joinTrees(
      trees.filter((_, t) => info[t] === g),
      { base: start, link, inclusive: false, float32: true, single: true },
    ),
  );
  return {
    margins: (rows, g) => float32Margins(forests[g]!, float32Cells(rows), rows.rows, rows.cols),
    structure: (g) => forests[g]!,
    document: () => ({
      name: "gbtree",
      model: { tree_info: Array.from(info.subarray(0, kept)), trees: trees.map(treeDocument) },
    }),
  };
}

/** What a leaf of weight w adds; the scikit-learn wrapper has it with the start added and taken away again. */
function leafOf(start: number, weight: number): (value: number) => number {
  const { fround } = Math;
  return (value) => fround(fround(fround(start + value) - start) * fround(weight));
}

function parallelTrees(at: Part): number {
  const param = at.has("gbtree_model_param") ? at.at("gbtree_model_param") : undefined;
  return param?.has("num_parallel_tree")
    ? Math.max(1, param.at("num_parallel_tree").whole(0, 2 ** 31 - 1))
    : 1;
}

function treeDocument(tree: FileTree): object {
  const nodes = Array.from(tree.words.keys());
  const lists = nodes.map((v) => members(tree.words.get(v)!));
  const starts: number[] = [];
  let next = 0;
  for (const list of lists) {
    starts.push(next);
    next += list.length;
  }
  return {
    left_children: Array.from(tree.left),
    right_children: Array.from(tree.right),
    split_indices: Array.from(tree.feature, (column) => Math.max(0, column)),
    // A threshold of ±Infinity has no JSON; the largest double is rounded back to it.
    split_conditions: Array.from(tree.feature, (column, v) =>
      column < 0
        ? tree.value[v]!
        : Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, tree.threshold[v]!)),
    ),
    default_left: Array.from(tree.flags, (flags) => flags & NODE.missingLeft),
    split_type: Array.from(tree.flags, (flags) => ((flags & NODE.categorical) !== 0 ? 1 : 0)),
    categories_nodes: nodes,
    categories_sizes: lists.map((list) => list.length),
    categories_segments: starts,
    categories: lists.flat(),
  };
}

function members(words: Uint32Array): number[] {
  const out: number[] = [];
  words.forEach((word, w) => {
    for (let bit = 0; bit < 32; bit++) if (((word >>> bit) & 1) === 1) out.push(32 * w + bit);
  });
  return out;
}

/** margin_g(z) = (bias_g + base_g) + Σ_k w_kg z_k in float32; missing cells add nothing. */
function linearBooster(at: Part, { base, cols, link }: Setting): Booster {
  const groups = base.length;
  if (cols * groups > 2 ** 28) throw at.error(`would need ${cols} × ${groups} weights`);
  const weights = Float32Array.from(at.at("weights").numbers((cols + 1) * groups));
  if (!weights.every(Number.isFinite)) throw at.at("weights").error("must hold finite numbers");
  const start = (g: number): number => Math.fround(weights[cols * groups + g]! + base[g]!);
  return {
    margins: (rows, g) => {
      const out = new Float64Array(rows.rows).fill(start(g));
      for (let i = 0; i < rows.rows; i++) {
        for (let k = 0; k < cols; k++) {
          const z = Math.fround(rows.data[i * cols + k]!);
          if (!Number.isNaN(z)) out[i] = Math.fround(out[i]! + Math.fround(z * weights[k * groups + g]!));
        }
      }
      return out;
    },
    structure: (g) => ({
      kind: "linear",
      intercept: start(g),
      weights: Float64Array.from({ length: cols }, (_, k) => weights[k * groups + g]!),
      link,
      single: true,
      skipsMissing: true,
      kernels: linearKernels,
    }),
    document: () => ({ name: "gblinear", model: { weights: Array.from(weights) } }),
  };
}

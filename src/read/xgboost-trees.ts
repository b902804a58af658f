import { ColaError } from "../errors.ts";
import { NODE } from "../model/trees/structure.ts";
import { type bitSets, checkTree, emptyTree, type FileTree } from "./forest.ts";
import type { Part } from "./part.ts";

const INT32 = 2 ** 31 - 1;
/** One above the largest category XGBoost takes. */
const CATEGORIES = 2 ** 24;

/**
 * One tree of an XGBoost file: node v goes left iff z < split_conditions[v]; at a leaf (left child −1)
 * split_conditions holds the value, here what `leaf` makes of it; members of a category list go right.
 */
export function xgboostTree(
  at: Part,
  cols: number,
  leaf: (value: number) => number,
  setOf: ReturnType<typeof bitSets>,
): FileTree {
  refuseVectorLeaf(at);
  const left = at.at("left_children").wholes(-1, INT32);
  const nodes = left.length;
  const right = at.at("right_children").wholes(-1, INT32, nodes);
  // Deleted nodes, which no child points to, carry a mark above every column.
  const feature = at.at("split_indices").wholes(0, 2 ** 32, nodes);
  const conditions = at.at("split_conditions").numbers(nodes);
  const defaultLeft = at.at("default_left").wholes(0, 1, nodes);
  const words = at.has("split_type") ? categorySets(at, nodes, setOf) : new Map<number, Uint32Array>();
  const tree: FileTree = { ...emptyTree(nodes), left, right, words };
  for (let v = 0; v < nodes; v++) {
    const condition = Math.fround(conditions[v]!);
    if (left[v] === -1) {
      tree.value[v] = leaf(condition);
      continue;
    }
    tree.feature[v] = feature[v]! < 0 ? INT32 : feature[v]!;
    const categorical = words.has(v) ? NODE.categorical | NODE.membersRight : 0;
    tree.threshold[v] = categorical ? 0 : condition;
    tree.flags[v] = categorical | (defaultLeft[v] === 1 ? NODE.missingLeft : 0);
  }
  checkTree(at, tree, cols);
  return tree;
}

function refuseVectorLeaf(at: Part): void {
  const param = at.has("tree_param") ? at.at("tree_param") : undefined;
  if (!param?.has("size_leaf_vector") || param.at("size_leaf_vector").number() <= 1) return;
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `readXgboost: ${at.path} has leaves with several values (multi_strategy="multi_output_tree"), which are not read; train with multi_strategy="one_output_per_tree", or use commandModel or httpModel.`,
    { where: at.path, feature: "vector leaf" },
  );
}

/** Bit sets of the nodes whose split_type is 1: node categories_nodes[c] owns a segment of `categories`. */
function categorySets(at: Part, nodes: number, setOf: ReturnType<typeof bitSets>): Map<number, Uint32Array> {
  const types = at.at("split_type").wholes(0, 1, nodes);
  const sets = new Map<number, Uint32Array>();
  if (!types.includes(1)) return sets;
  const owners = at.at("categories_nodes").wholes(0, nodes - 1);
  const starts = at.at("categories_segments").wholes(0, INT32, owners.length);
  const sizes = at.at("categories_sizes").wholes(0, INT32, owners.length);
  const categories = at.at("categories").wholes(0, CATEGORIES - 1);
  owners.forEach((node, c) => {
    const end = starts[c]! + sizes[c]!;
    if (end > categories.length)
      throw at.error(`lists categories up to ${end}, but has ${categories.length}`);
    if (sets.has(node)) throw at.error(`gives node ${node} two category lists`);
    sets.set(node, setOf(at, categories.subarray(starts[c]!, end)));
  });
  types.forEach((type, v) => {
    if (type === 1 && !sets.has(v)) throw at.error(`has no categories for the categorical node ${v}`);
    if (type === 0) sets.delete(v);
  });
  return sets;
}

import { ColaError } from "../errors.ts";
import { NODE } from "../model/trees/structure.ts";
import { checkTree, emptyTree, type FileTree } from "./forest.ts";
import type { Section } from "./lightgbm-text.ts";

/** Bits of decision_type; bits 2 and 3 are the kind of missing value. */
const CATEGORICAL = 1;
const DEFAULT_LEFT = 2;
const MISSING = { none: 0, zero: 1, nan: 2 } as const;
const INT32 = 2 ** 31 - 1;

/**
 * One tree of a LightGBM file: L − 1 inner nodes, then L leaves (leaf l is node L − 1 + l; the file points to
 * it with −1 − l). Node v goes left iff z ≤ threshold[v], or iff z is in the bit set of a categorical node.
 */
export function lightgbmTree(at: Section, cols: number): FileTree {
  refuseLinear(at);
  const leaves = at.whole("num_leaves", 1, INT32);
  const value = at.numbers("leaf_value", leaves);
  const inner = leaves - 1;
  const tree = emptyTree(inner + leaves);
  tree.value.set(value, inner);
  const words = new Map<number, Uint32Array>();
  if (inner > 0) readNodes(at, cols, inner, tree, words);
  const made = { ...tree, words };
  checkTree(at.part(), made, cols);
  return made;
}

function readNodes(
  at: Section,
  cols: number,
  inner: number,
  tree: FileTree,
  words: Map<number, Uint32Array>,
): void {
  tree.feature.set(at.wholes("split_feature", 0, cols - 1, inner));
  // `inf` parts what is missing from what is not: every number goes left.
  tree.threshold.set(at.limits("threshold", inner));
  const decision = at.wholes("decision_type", 0, 15, inner);
  const node = (child: number): number => (child >= 0 ? child : inner - 1 - child);
  tree.left.set(at.wholes("left_child", -inner - 1, inner - 1, inner).map(node));
  tree.right.set(at.wholes("right_child", -inner - 1, inner - 1, inner).map(node));
  const sets = decision.some((d) => (d & CATEGORICAL) !== 0) ? categorySets(at) : [];
  for (let v = 0; v < inner; v++) {
    if ((decision[v]! & CATEGORICAL) === 0) {
      tree.flags[v] = numericFlags(decision[v]!, tree.threshold[v]!);
      continue;
    }
    const set = sets[tree.threshold[v]!];
    if (!set)
      throw at.error(
        "threshold",
        `names the category set ${tree.threshold[v]} at node ${v}, which is not there`,
      );
    // Missing values are in no set, so they go right.
    tree.flags[v] = NODE.categorical;
    tree.threshold[v] = 0;
    words.set(v, set);
  }
}

/** With "no missing values" NaN is read as 0, so it goes where 0 goes; "zero" makes 0 missing as well. */
function numericFlags(decision: number, threshold: number): number {
  const kind = decision >> 2;
  if (kind === MISSING.none) return threshold >= 0 ? NODE.missingLeft : 0;
  const left = (decision & DEFAULT_LEFT) !== 0 ? NODE.missingLeft : 0;
  return kind === MISSING.zero ? left | NODE.zeroIsMissing : left;
}

function categorySets(at: Section): Uint32Array[] {
  const count = at.whole("num_cat", 0, INT32);
  const bounds = at.wholes("cat_boundaries", 0, INT32, count + 1);
  const words = at.numbers("cat_threshold", bounds[count]!);
  return Array.from({ length: count }, (_, c) => {
    if (bounds[c]! > bounds[c + 1]!) throw at.error("cat_boundaries", "must not decrease");
    return Uint32Array.from(words.subarray(bounds[c]!, bounds[c + 1]!));
  });
}

function refuseLinear(at: Section): void {
  if (!at.has("is_linear") || at.text("is_linear") === "0") return;
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `readLightgbm: ${at.name} has linear models in its leaves (linear_tree=true), which are not read; train with linear_tree=false, or use commandModel or httpModel.`,
    { where: at.name, feature: "linear_tree" },
  );
}

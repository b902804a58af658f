import { NODE } from "../model/trees/structure.ts";
import type { Link, Trees } from "../types.ts";
import { checkTree, emptyTree, type FileTree, joinTrees } from "./forest.ts";
import { ONNX, onnxInvalid } from "./onnx-errors.ts";
import { type OnnxNode, tensorNumbers } from "./onnx-tensor.ts";
import { part } from "./part.ts";

const MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "LEAF"];
/** With these the true branch is the one of small values. */
const SMALL_IS_TRUE = ["BRANCH_LEQ", "BRANCH_LT"];
const INCLUSIVE = ["BRANCH_LEQ", "BRANCH_GT"];
const MAX_COLUMN = 2 ** 28;

/** Comparisons of TreeEnsemble, by number. */
const MODE_NUMBERS = [...MODES.slice(0, 6), "BRANCH_MEMBER"];
/** As ONNX Runtime counts them, whose scores these are (1.30); the standard has 1 and 2 the other way round. */
const POST_NUMBERS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"];

/** A TreeEnsembleClassifier, a TreeEnsembleRegressor or a TreeEnsemble, checked. */
interface Ensemble {
  readonly trees: readonly FileTree[];
  /** What a leaf adds: value `weight` to class or target `index`. */
  readonly weights: readonly {
    readonly tree: number;
    readonly node: number;
    readonly index: number;
    readonly weight: number;
  }[];
  /** Undefined where the comparisons are mixed or test equality: such trees cannot be told as ours. */
  readonly inclusive: boolean | undefined;
  /** Columns that are read. */
  readonly cols: number;
  readonly average: boolean;
  /** What is done with the sums. */
  readonly post: string;
  /** Targets of a node that has no class labels. */
  readonly targets: number;
}

/** Throws unless an ensemble node is a set of trees; other nodes pass. */
export function checkEnsemble(node: OnnxNode): void {
  if (isEnsemble(node)) readEnsemble(node);
}

export function isEnsemble(node: OnnxNode): boolean {
  return ["TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"].includes(node.op);
}

export function readEnsemble(node: OnnxNode): Ensemble {
  return node.op === "TreeEnsemble" ? readRooted(node) : readListed(node);
}

const wholes = (node: OnnxNode, name: string): Float64Array =>
  node.attributes.get(name)?.wholes(8) ?? new Float64Array(0);

/** Floats of an attribute or of its double twin `<name>_as_tensor`. */
export function floatsAt(node: OnnxNode, name: string): Float64Array {
  const twin = node.attributes.get(`${name}_as_tensor`)?.messages(5)[0];
  return tensorNumbers(twin) ?? node.attributes.get(name)?.floats(7, 4) ?? new Float64Array(0);
}

/** The operators before ai.onnx.ml 5: nodes of one tree stand together and its first is the root, as runtimes take it. */
function readListed(node: OnnxNode): Ensemble {
  const ids = wholes(node, "nodes_nodeids");
  const [treeIds, features, yes, no] = ["treeids", "featureids", "truenodeids", "falsenodeids"].map((name) =>
    wholes(node, `nodes_${name}`),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const values = floatsAt(node, "nodes_values");
  const modes = node.attributes.get("nodes_modes")?.texts(9) ?? [];
  const tracks = wholes(node, "nodes_missing_value_tracks_true");
  if (
    [treeIds, features, yes, no, values, modes].some((list) => list.length !== ids.length) ||
    ids.length === 0
  ) {
    throw onnxInvalid(`has a ${node.op} whose node lists differ in length or are empty`);
  }
  const unknown = modes.find((mode) => !MODES.includes(mode));
  if (unknown !== undefined)
    throw onnxInvalid(`has a ${node.op} with the node mode ${JSON.stringify(unknown.slice(0, 40))}`);
  const places = new Map<string, { tree: number; node: number }>();
  const starts = startsOf(node, treeIds);
  const trees = starts.map((from, t) => {
    const to = starts[t + 1] ?? ids.length;
    const local = new Map<number, number>();
    for (let v = from; v < to; v++) {
      if (local.has(ids[v]!))
        throw onnxInvalid(`has a ${node.op} with node ${ids[v]} of tree ${treeIds[v]} twice`);
      local.set(ids[v]!, v - from);
      places.set(`${treeIds[v]} ${ids[v]}`, { tree: t, node: v - from });
    }
    return readTree({ from, to, features, yes, no, values, modes, tracks, local }, `tree ${t} of ${node.op}`);
  });
  return {
    trees,
    weights: weightsOf(node, places),
    inclusive: inclusiveOf(modes),
    cols: colsOf(trees),
    average: node.attributes.get("aggregate_function")?.text(4) === "AVERAGE",
    post: node.attributes.get("post_transform")?.text(4) ?? "NONE",
    targets: Math.max(1, node.attributes.get("n_targets")?.whole(3) ?? 1),
  };
}

/** Undefined where comparisons are mixed or are none of small with large. */
function inclusiveOf(modes: readonly string[]): boolean | undefined {
  const branches = [...new Set(modes)].filter((mode) => mode !== "LEAF");
  const strictness = new Set(branches.map((mode) => INCLUSIVE.includes(mode)));
  const odd = branches.some((mode) => ["BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"].includes(mode));
  return odd || strictness.size > 1 ? undefined : !strictness.has(false);
}

const colsOf = (trees: readonly FileTree[]): number =>
  trees.reduce((most, tree) => tree.feature.reduce((top, k) => Math.max(top, k + 1), most), 0);

interface Rooted {
  readonly node: OnnxNode;
  readonly list: Omit<Listing, "from" | "to" | "local">;
  /** Is the child where a test is true, and where it is not, a leaf? */
  readonly ends: readonly [yes: Float64Array, no: Float64Array];
  readonly leaves: number;
}

/** TreeEnsemble of ai.onnx.ml 5: leaves stand in a list of their own, and trees begin where the file says. */
function readRooted(node: OnnxNode): Ensemble {
  const lists = ["featureids", "truenodeids", "falsenodeids", "trueleafs", "falseleafs"];
  const [features, yes, no, yesEnds, noEnds] = lists.map((name) => wholes(node, `nodes_${name}`)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const tensor = (name: string): Float64Array =>
    tensorNumbers(node.attributes.get(name)?.messages(5)[0]) ?? new Float64Array(0);
  const [values, numbers, weights] = [tensor("nodes_splits"), tensor("nodes_modes"), tensor("leaf_weights")];
  const modes = Array.from(numbers, (number) => MODE_NUMBERS[number] ?? `of number ${number}`);
  const tracks = wholes(node, "nodes_missing_value_tracks_true");
  const same = [yes, no, yesEnds, noEnds, values, modes].every((list) => list.length === features.length);
  if (!same || features.length === 0)
    throw onnxInvalid("has a TreeEnsemble whose node lists differ in length or are empty");
  const unknown = modes.find((mode) => !MODE_NUMBERS.includes(mode));
  if (unknown !== undefined) throw onnxInvalid(`has a TreeEnsemble with a node mode ${unknown}`);
  const targets = wholes(node, "leaf_targetids");
  if (targets.length !== weights.length)
    throw onnxInvalid("has a TreeEnsemble whose leaf lists differ in length");
  weights.forEach((weight, leaf) => {
    if (!Number.isFinite(weight) || !(targets[leaf]! >= 0 && targets[leaf]! < 65536))
      throw onnxInvalid(`has a TreeEnsemble whose leaf ${leaf} is ${weight} for target ${targets[leaf]}`);
  });
  const met = new Uint8Array(features.length);
  const told: Rooted = {
    ...{ node, ends: [yesEnds, noEnds], leaves: weights.length },
    list: { features, yes, no, values, modes, tracks },
  };
  const grown = Array.from(wholes(node, "tree_roots"), (root) => rootedTree(told, root, met));
  if (grown.length === 0) throw onnxInvalid("has a TreeEnsemble without trees");
  const trees = grown.map(({ tree }) => tree);
  return {
    trees,
    weights: grown.flatMap(({ leaves }, tree) =>
      leaves.map(([at, leaf]) => ({ tree, node: at, index: targets[leaf]!, weight: weights[leaf]! })),
    ),
    inclusive: inclusiveOf(modes),
    cols: colsOf(trees),
    average: (node.attributes.get("aggregate_function")?.whole(3) ?? 1) === 0,
    post: POST_NUMBERS[node.attributes.get("post_transform")?.whole(3) ?? 0] ?? "unknown",
    targets: Math.max(1, node.attributes.get("n_targets")?.whole(3) ?? 1),
  };
}

/** The nodes below a root, which no other tree has, as a list with its leaves. */
function rootedTree(
  { list, ends, leaves }: Rooted,
  root: number,
  met: Uint8Array,
): { readonly tree: FileTree; readonly leaves: readonly (readonly [node: number, leaf: number])[] } {
  const order: { readonly at: number; readonly leaf: boolean }[] = [{ at: root, leaf: false }];
  const children: (readonly [yes: number, no: number])[] = [];
  for (let v = 0; v < order.length; v++) {
    const { at, leaf } = order[v]!;
    const most = leaf ? leaves : met.length;
    if (!(at >= 0 && at < most)) throw onnxInvalid(`has a TreeEnsemble that points to ${at} of ${most}`);
    children.push([order.length, order.length + 1]);
    if (leaf) continue;
    if (met[at] === 1) throw onnxInvalid(`has a TreeEnsemble that meets node ${at} twice`);
    met[at] = 1;
    order.push({ at: list.yes[at]!, leaf: ends[0][at] === 1 }, { at: list.no[at]!, leaf: ends[1][at] === 1 });
  }
  const pick = (from: Float64Array): Float64Array =>
    Float64Array.from(order, ({ at, leaf }) => (leaf ? 0 : from[at]!));
  const local = new Map(order.map((_, v) => [v, v]));
  const tree = readTree(
    {
      ...{ from: 0, to: order.length, local, tracks: pick(list.tracks) },
      ...{ features: pick(list.features), values: pick(list.values) },
      ...{ yes: Float64Array.from(children, ([to]) => to), no: Float64Array.from(children, ([, to]) => to) },
      modes: order.map(({ at, leaf }) => (leaf ? "LEAF" : list.modes[at]!)),
    },
    `the tree of root ${root} of TreeEnsemble`,
  );
  return { tree, leaves: order.flatMap(({ at, leaf }, v) => (leaf ? [[v, at] as const] : [])) };
}

function startsOf(node: OnnxNode, treeIds: Float64Array): number[] {
  const starts: number[] = [];
  const seen = new Set<number>();
  treeIds.forEach((id, v) => {
    if (v > 0 && treeIds[v - 1] === id) return;
    if (seen.has(id)) throw onnxInvalid(`has a ${node.op} with the nodes of tree ${id} apart`);
    seen.add(id);
    starts.push(v);
  });
  return starts;
}

interface Listing {
  readonly from: number;
  readonly to: number;
  readonly features: Float64Array;
  readonly yes: Float64Array;
  readonly no: Float64Array;
  readonly values: Float64Array;
  readonly modes: readonly string[];
  readonly tracks: Float64Array;
  readonly local: ReadonlyMap<number, number>;
}

function readTree(list: Listing, name: string): FileTree {
  const tree = emptyTree(list.to - list.from);
  for (let v = list.from; v < list.to; v++) {
    const mode = list.modes[v]!;
    if (mode === "LEAF") continue;
    const at = v - list.from;
    const small = SMALL_IS_TRUE.includes(mode);
    const missingTrue = list.tracks[v] === 1;
    tree.feature[at] =
      list.features[v]! >= 0 && list.features[v]! < MAX_COLUMN ? list.features[v]! : MAX_COLUMN;
    tree.threshold[at] = list.values[v]!;
    tree.left[at] = list.local.get((small ? list.yes : list.no)[v]!) ?? -1;
    tree.right[at] = list.local.get((small ? list.no : list.yes)[v]!) ?? -1;
    tree.flags[at] = small === missingTrue ? NODE.missingLeft : 0;
  }
  checkTree(part(ONNX, undefined, name), tree, MAX_COLUMN);
  return tree;
}

function weightsOf(
  node: OnnxNode,
  places: ReadonlyMap<string, { tree: number; node: number }>,
): Ensemble["weights"] {
  const prefix = node.op === "TreeEnsembleClassifier" ? "class" : "target";
  const [treeIds, nodeIds, indices] = ["treeids", "nodeids", "ids"].map((name) =>
    wholes(node, `${prefix}_${name}`),
  ) as [Float64Array, Float64Array, Float64Array];
  const weights = floatsAt(node, `${prefix}_weights`);
  if ([treeIds, nodeIds, indices].some((list) => list.length !== weights.length)) {
    throw onnxInvalid(`has a ${node.op} whose weight lists differ in length`);
  }
  return Array.from(weights, (weight, w) => {
    const place = places.get(`${treeIds[w]} ${nodeIds[w]}`);
    const index = indices[w]!;
    if (!place || !Number.isFinite(weight) || !(index >= 0 && index < 65536)) {
      throw onnxInvalid(
        `has a ${node.op} whose weight ${w} is ${weight} for index ${index} at a node that ${place ? "is there" : "is not there"}`,
      );
    }
    return { ...place, index, weight };
  });
}

/** The trees with the weights of one class or target as leaf values, times `factor`. */
export function ensembleForest(
  ensemble: Ensemble,
  pick: (index: number) => boolean,
  rule: { base: number; link: Link; float32: boolean; factor: number; columns: Int32Array },
): Trees {
  const values = ensemble.trees.map((tree) => new Float64Array(tree.value.length));
  for (const { tree, node, index, weight } of ensemble.weights)
    if (pick(index)) values[tree]![node]! += weight;
  const trees = ensemble.trees.map((tree, t) => ({
    ...tree,
    feature: tree.feature.map((k) => (k < 0 ? k : rule.columns[k]!)),
    value: values[t]!.map((v, at) => (tree.feature[at]! < 0 ? v * rule.factor : 0)),
  }));
  const { base, link, float32 } = rule;
  return joinTrees(trees, { base, link, float32, single: true, inclusive: ensemble.inclusive ?? true });
}

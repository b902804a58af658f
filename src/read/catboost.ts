import { ColaError } from "../errors.ts";
import { SAVED_VERSION } from "../model/saved.ts";
import { treeModel } from "../model/trees/model.ts";
import { NODE } from "../model/trees/structure.ts";
import type { Link, Model } from "../types.ts";
import { bitSets, checkTree, emptyTree, type FileTree, joinTrees } from "./forest.ts";
import { parseJson } from "./json-limits.ts";
import { type Part, part } from "./part.ts";
import { checkContent, indexNames, outputNames, type ReadOptions } from "./read-options.ts";

const OWNER = "readCatboost";
/** Written into the saved form of a model that was read from a file. */
export const CATBOOST_FILE = "catboost-file";
const MOST_DEPTH = 16;
const MOST_OUTPUTS = 65536;

/** The score of a margin, by the loss a model was trained with. */
const LINKS: Readonly<Record<string, Link>> = {
  Logloss: "logistic",
  CrossEntropy: "logistic",
  MultiClass: "softmax",
  MultiClassOneVsAll: "logistic",
  RMSE: "identity",
  MAE: "identity",
  MAPE: "identity",
  Quantile: "identity",
  Huber: "identity",
  LogLinQuantile: "exp",
  Poisson: "exp",
};

/**
 * A model from the JSON that CatBoost writes (`save_model("model.json", format="json")`), symmetric trees or not. Cells are
 * float32, a value above a border goes right, gaps where the column's treatment says. A cell of a column of categories is
 * the place of its text in the file's `cat_features_hash`, any other number a text that is not there; counters of
 * categories are refused with the way out.
 */
export function readCatboost(data: string | Uint8Array, options: ReadOptions = {}): Model {
  checkContent(OWNER, data);
  const text = typeof data === "string" ? data : new TextDecoder().decode(data);
  return readCatboostDocument(parseJson(OWNER, text), options);
}

/** A model saved with `toJSON`. */
export function loadCatboostFile(saved: unknown): Model {
  const at = part(OWNER, saved, "");
  return readCatboostDocument(at.at("document").value, { outputs: at.at("outputs").texts() });
}

/** The same from a file that is parsed already. */
export function readCatboostDocument(document: unknown, options: ReadOptions = {}): Model {
  const at = part(OWNER, document, "");
  const columns = columnsOf(at.at("features_info"));
  const [scale, bias] = at.at("scale_and_bias").items();
  const bases = bias ? bias.numbers() : new Float64Array();
  if (!scale || bases.length === 0 || bases.length > MOST_OUTPUTS || !bases.every(Number.isFinite))
    throw at.at("scale_and_bias").error("must be a scale and a list of finite biases");
  const info = at.at("model_info");
  const link = linkOf(info);
  const grown = treesOf(at, columns, bases.length);
  const margins = bases.length;
  if (lossOf(info).startsWith("MultiClass") !== margins > 1)
    throw info.error(`has a loss that does not fit ${margins} margins`);
  const forests = Array.from(bases, (base, k) =>
    joinTrees(
      grown.map((values) => values(k, scale.number())),
      { base, link, inclusive: true, float32: true },
    ),
  );
  const names = margins > 1 ? indexNames(margins) : link === "logistic" ? ["0", "1"] : ["score"];
  const told = classNames(info) ?? [];
  const outputs = outputNames(OWNER, told.length === names.length ? told : names, options.outputs);
  const kept = pick(document, ["features_info", "oblivious_trees", "trees", "scale_and_bias"]);
  const model_info = {
    class_params: { class_names: told },
    params: { loss_function: { type: lossOf(info) } },
  };
  return {
    ...treeModel({ name: "gradboost", outputs, cols: columns.names.length, forests }),
    inputs: columns.names,
    toJSON: () => ({
      ...{ type: CATBOOST_FILE, version: SAVED_VERSION, outputs },
      document: { ...kept, model_info },
    }),
  };
}

interface Columns {
  readonly names: readonly string[];
  /** Place among all columns of each column of numbers, and whether its gaps go right. */
  readonly floats: readonly { readonly flat: number; readonly gapsRight: boolean }[];
  /** Place among all columns of each column of categories. */
  readonly categorical: readonly number[];
  /** Places of the texts of a hash in the file. */
  readonly hashed: ReadonlyMap<number, readonly number[]>;
  readonly setOf: ReturnType<typeof bitSets>;
}

function columnsOf(info: Part): Columns {
  const list = (key: string): Part[] => (info.has(key) ? info.at(key).items() : []);
  const [floats, categorical] = [list("float_features"), list("categorical_features")];
  const all = [...floats, ...categorical];
  const flat = (one: Part): number => one.at("flat_feature_index").whole(0, all.length - 1);
  const names: string[] = new Array<string>(all.length).fill("");
  for (const one of all) {
    const named = one.has("feature_id") ? one.at("feature_id").text() : "";
    if (names[flat(one)] !== "") throw one.error("has the place of another column");
    names[flat(one)] = named === "" ? `f${flat(one)}` : named;
  }
  if (all.length === 0) throw info.error("has no columns");
  const gapsRight = (one: Part): boolean =>
    one.has("nan_value_treatment") && one.at("nan_value_treatment").text() === "AsTrue";
  const hashed = new Map<number, number[]>();
  for (const [place, one] of list("cat_features_hash").entries()) {
    const hash = one.at("hash").whole(0, 2 ** 32 - 1);
    hashed.set(hash, [...(hashed.get(hash) ?? []), place]);
  }
  return {
    names,
    floats: floats.map((one) => ({ flat: flat(one), gapsRight: gapsRight(one) })),
    categorical: categorical.map(flat),
    hashed,
    setOf: bitSets(),
  };
}

function lossOf(info: Part): string {
  return info.at("params").at("loss_function").at("type").text();
}

function linkOf(info: Part): Link {
  const loss = lossOf(info);
  if (Object.hasOwn(LINKS, loss)) return LINKS[loss]!;
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${OWNER}: the loss ${JSON.stringify(loss.slice(0, 40))} is not read; those read are ${Object.keys(LINKS).join(", ")}. Serve the model with commandModel.`,
    { loss },
  );
}

function classNames(info: Part): string[] | undefined {
  const params = info.has("class_params") ? info.at("class_params") : undefined;
  return params?.has("class_names")
    ? params
        .at("class_names")
        .items()
        .map((name) => String(name.value))
    : undefined;
}

/** One tree, told as its values for margin k, times the scale. */
type Grown = (k: number, scale: number) => FileTree;

function treesOf(at: Part, columns: Columns, margins: number): Grown[] {
  if (at.has("oblivious_trees"))
    return at
      .at("oblivious_trees")
      .items()
      .map((tree) => symmetric(tree, columns, margins));
  return at
    .at("trees")
    .items()
    .map((tree) => nested(tree, columns, margins));
}

interface Split {
  readonly column: number;
  readonly border: number;
  readonly gapsRight: boolean;
  /** The one category that goes right, instead of what is above the border, as a bit set. */
  readonly member?: Uint32Array;
}

function splitOf(at: Part, { floats, categorical, hashed, setOf }: Columns): Split {
  const type = at.at("split_type").text();
  if (type === "OneHotFeature") {
    const column = categorical[at.at("cat_feature_index").whole(0, categorical.length - 1)]!;
    const places = hashed.get(at.at("value").whole(-(2 ** 31), 2 ** 32 - 1) >>> 0);
    if (places) return { column, border: 0, gapsRight: false, member: setOf(at, Int32Array.from(places)) };
    throw unsupported(
      `${at.path} tests a category whose text the file does not have`,
      'save it again with its training rows: save_model("model.json", format="json", pool=pool)',
    );
  }
  if (type !== "FloatFeature") {
    throw unsupported(
      `${at.path} is a split of the type ${type.slice(0, 40)}, by counters of categories`,
      "train with one_hot_max_size of at least the number of categories, encode them as numbers before, or serve the model with commandModel",
    );
  }
  const { flat, gapsRight } = floats[at.at("float_feature_index").whole(0, floats.length - 1)]!;
  return { column: flat, border: at.at("border").number(), gapsRight };
}

function unsupported(feature: string, remedy: string): ColaError {
  return new ColaError("MODEL_FILE_UNSUPPORTED", `${OWNER}: ${feature}; ${remedy}.`, { feature });
}

/** A tree whose levels have one split each: bit l of a leaf's place says that split l was passed. */
function symmetric(at: Part, columns: Columns, margins: number): Grown {
  const splits =
    at.at("splits").value === null
      ? []
      : at
          .at("splits")
          .items()
          .map((one) => splitOf(one, columns));
  const depth = splits.length;
  if (depth > MOST_DEPTH) throw at.error(`has ${depth} levels, more than ${MOST_DEPTH}`);
  const values = at.at("leaf_values").numbers(2 ** depth * margins);
  const inner = 2 ** depth - 1;
  const shape = growing(inner + 2 ** depth);
  const leaves = new Int32Array(2 ** depth);
  // Node v of level l has the children 2v + 1 and 2v + 2; the path to it is the bits of its place in the level.
  for (let v = 0; v < inner; v++) put(shape, v, splits[Math.floor(Math.log2(v + 1))]!, 2 * v + 1, 2 * v + 2);
  for (let leaf = 0; leaf < leaves.length; leaf++) {
    let node = 0;
    for (let l = 0; l < depth; l++) node = 2 * node + 1 + ((leaf >> l) & 1);
    leaves[leaf] = node;
  }
  return withValues(at, shape, columns, (value, k) => {
    leaves.forEach((node, leaf) => {
      value[node] = values[leaf * margins + k]!;
    });
  });
}

function put(tree: Growing, node: number, split: Split, left: number, right: number): void {
  tree.feature[node] = split.column;
  tree.threshold[node] = split.border;
  tree.left[node] = left;
  tree.right[node] = right;
  tree.flags[node] = split.gapsRight ? 0 : NODE.missingLeft;
  if (!split.member) return;
  tree.flags[node]! |= NODE.categorical | NODE.membersRight;
  tree.words.set(node, split.member);
}

type Growing = FileTree & { readonly words: Map<number, Uint32Array> };
const growing = (nodes: number): Growing => ({ ...emptyTree(nodes), words: new Map() });

/** A tree as CatBoost nests it: { left, right, split } or { value }. */
function nested(root: Part, columns: Columns, margins: number): Grown {
  const nodes: Part[] = [root];
  const links: (readonly [node: number, split: Split, left: number])[] = [];
  const told = new Map<number, Float64Array>();
  for (let v = 0; v < nodes.length; v++) {
    const at = nodes[v]!;
    if (at.has("value")) {
      const { value } = at.at("value");
      told.set(
        v,
        Array.isArray(value) ? at.at("value").numbers(margins) : Float64Array.of(at.at("value").number()),
      );
      if (told.get(v)!.length !== margins) throw at.error(`must have ${margins} values`);
      continue;
    }
    links.push([v, splitOf(at.at("split"), columns), nodes.length]);
    nodes.push(at.at("left"), at.at("right"));
  }
  const shape = growing(nodes.length);
  for (const [v, split, left] of links) put(shape, v, split, left, left + 1);
  return withValues(root, shape, columns, (value, k) => {
    for (const [v, values] of told) value[v] = values[k]!;
  });
}

function withValues(
  at: Part,
  shape: FileTree,
  { names }: Columns,
  fill: (value: Float64Array, k: number) => void,
): Grown {
  return (k, scale) => {
    const value = new Float64Array(shape.feature.length);
    fill(value, k);
    const tree = { ...shape, value: value.map((v) => scale * v) };
    checkTree(at, tree, names.length);
    return tree;
  };
}

function pick(document: unknown, keys: readonly string[]): object {
  const from = document as Readonly<Record<string, unknown>>;
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));
}

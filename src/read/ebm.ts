import { ColaError } from "../errors.ts";
import { SAVED_VERSION } from "../model/saved.ts";
import { treeModel } from "../model/trees/model.ts";
import { NODE } from "../model/trees/structure.ts";
import type { Link, Model } from "../types.ts";
import { checkTree, emptyTree, type FileTree, joinTrees } from "./forest.ts";
import { parseJson } from "./json-limits.ts";
import { type Part, part } from "./part.ts";
import { checkContent, indexNames, outputNames, type ReadOptions } from "./read-options.ts";

const OWNER = "readEbm";
/** Written into the saved form of a model that was read from a file. */
export const EBM_FILE = "ebm-file";
/** Bins of one term. */
const MOST_BINS = 2 ** 22;
const MOST_WAYS = 3;

const LINKS: Readonly<Record<string, Link>> = {
  logit: "logistic",
  mlogit: "softmax",
  identity: "identity",
  log: "exp",
};

/**
 * An explainable boosting machine from the JSON that interpret writes (`ebm.to_json("model.json")`): a sum of terms, each a
 * table over the bins of one or a few columns, told as one tree per term. A column of categories holds the place of each
 * in the file.
 */
export function readEbm(data: string | Uint8Array, options: ReadOptions = {}): Model {
  checkContent(OWNER, data);
  const text = typeof data === "string" ? data : new TextDecoder().decode(data);
  return readEbmDocument(parseJson(OWNER, text), options);
}

/** A model saved with `toJSON`. */
export function loadEbmFile(saved: unknown): Model {
  const at = part(OWNER, saved, "");
  return readEbmDocument(at.at("document").value, { outputs: at.at("outputs").texts() });
}

/** The same from a file that is parsed already. */
export function readEbmDocument(document: unknown, options: ReadOptions = {}): Model {
  const ebm = part(OWNER, document, "").at("ebm");
  const output = ebm.at("outputs").items()[0];
  if (!output) throw ebm.at("outputs").error("must name an output");
  const link = linkOf(output);
  const columns = ebm.at("features").items().map(columnOf);
  const bases = ebm.at("intercept").numbers();
  const margins = bases.length;
  if (margins === 0 || (link === "softmax") !== margins > 1)
    throw ebm.at("intercept").error(`has ${margins} entries, which does not fit the link`);
  if (!bases.every(Number.isFinite)) throw ebm.at("intercept").error("must hold finite numbers");
  const grown = ebm
    .at("terms")
    .items()
    .map((term) => treeOf(term, columns, margins));
  const forests = Array.from(bases, (base, k) =>
    joinTrees(
      grown.map((tree) => tree(k)),
      { base, link, inclusive: false, float32: false },
    ),
  );
  const classes = output.has("classes")
    ? output
        .at("classes")
        .items()
        .map((name) => String(name.value))
    : [];
  const plain = margins > 1 ? indexNames(margins) : link === "logistic" ? ["0", "1"] : ["score"];
  const outputs = outputNames(OWNER, classes.length === plain.length ? classes : plain, options.outputs);
  const kept = keptOf(ebm);
  return {
    ...treeModel({ name: "gradboost", outputs, cols: columns.length, forests }),
    inputs: columns.map(({ name }) => name),
    ...(columns.some(({ nominal }) => nominal) ? { categorical: columns.map(({ nominal }) => nominal) } : {}),
    toJSON: () => ({ type: EBM_FILE, version: SAVED_VERSION, outputs, document: { ebm: kept } }),
  };
}

function linkOf(output: Part): Link {
  const name = output.at("link").text();
  if (Object.hasOwn(LINKS, name)) return LINKS[name]!;
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${OWNER}: the link ${JSON.stringify(name.slice(0, 40))} is not read; those read are ${Object.keys(LINKS).join(", ")}. Serve the model with commandModel.`,
    { link: name },
  );
}

interface Column {
  readonly name: string;
  readonly nominal: boolean;
  /** Where its bins are cut: by the number of columns of a term, the last list for any more. */
  readonly cuts: readonly Float64Array[];
}

function columnOf(at: Part): Column {
  const name = at.at("name").text();
  const nominal = at.at("type").text() !== "continuous";
  const lists = at.at(nominal ? "categories" : "cuts").items();
  if (lists.length === 0) throw at.error("has no bins");
  const cuts = lists.map((list) => (nominal ? between(list.items().length) : rising(list)));
  return { name, nominal, cuts };
}

/** Places 0, 1, … of categories are told apart half-way. */
const between = (count: number): Float64Array =>
  Float64Array.from({ length: Math.max(0, count - 1) }, (_, k) => k + 0.5);

function rising(list: Part): Float64Array {
  const cuts = list.numbers();
  if (cuts.every((cut, k) => Number.isFinite(cut) && (k === 0 || cut > cuts[k - 1]!))) return cuts;
  throw list.error("must rise");
}

/**
 * A term as one tree: each of its columns is sought in turn, first whether it is missing (bin 0), then its bin by halves.
 * Bins count from 1; the last of each side of the table is for categories nobody knew, which no cell has.
 */
function treeOf(at: Part, columns: readonly Column[], margins: number): (k: number) => FileTree {
  const places = at
    .at("term_features")
    .texts()
    .map((name) => columns.findIndex((c) => c.name === name));
  if (places.length === 0 || places.length > MOST_WAYS || places.includes(-1))
    throw at.at("term_features").error(`must name from 1 to ${MOST_WAYS} columns of the model`);
  const cuts = places.map((c) => columns[c]!.cuts[Math.min(places.length, columns[c]!.cuts.length) - 1]!);
  const sides = cuts.map(({ length }) => length + 3);
  const cells = sides.reduce((product, side) => product * side, 1);
  if (cells > MOST_BINS) throw at.error(`has ${cells} bins, more than ${MOST_BINS}`);
  const scores = flat(at.at("scores"), margins > 1 ? [...sides, margins] : sides);
  const nodes: { column: number; cut: number; gap: boolean; left: number; right: number; cell: number }[] =
    [];
  const grow = (way: number, cell: number): number => {
    if (way === places.length)
      return nodes.push({ column: -1, cut: 0, gap: false, left: 0, right: 0, cell }) - 1;
    const next = (bin: number): number => grow(way + 1, cell * sides[way]! + bin);
    const halve = (from: number, to: number): number => {
      if (from === to) return next(from + 1);
      const middle = (from + to) >> 1;
      const node =
        nodes.push({
          column: places[way]!,
          cut: cuts[way]![middle]!,
          gap: false,
          left: 0,
          right: 0,
          cell: 0,
        }) - 1;
      nodes[node]!.left = halve(from, middle);
      nodes[node]!.right = halve(middle + 1, to);
      return node;
    };
    const node =
      nodes.push({ column: places[way]!, cut: -Number.MAX_VALUE, gap: true, left: 0, right: 0, cell: 0 }) - 1;
    nodes[node]!.left = next(0);
    nodes[node]!.right = halve(0, cuts[way]!.length);
    return node;
  };
  grow(0, 0);
  const shape = emptyTree(nodes.length);
  nodes.forEach(({ column, cut, gap, left, right }, v) => {
    shape.feature[v] = column;
    shape.threshold[v] = cut;
    shape.left[v] = left;
    shape.right[v] = right;
    if (gap) shape.flags[v] = NODE.missingLeft;
  });
  return (k) => {
    const value = Float64Array.from(nodes, ({ column, cell }) =>
      column < 0 ? scores[cell * margins + k]! : 0,
    );
    const tree = { ...shape, value };
    checkTree(at, tree, columns.length);
    return tree;
  };
}

/** Nested lists of these lengths, one after the other. */
function flat(at: Part, [side = 0, ...rest]: readonly number[]): number[] {
  if (rest.length === 0) return Array.from(at.numbers(side));
  const items = at.items();
  if (items.length !== side) throw at.error(`has ${items.length} entries where ${side} are needed`);
  return items.flatMap((item) => flat(item, rest));
}

/** What scoring needs of the file. */
function keptOf(ebm: Part): object {
  const only = (one: Part, keys: readonly string[]): object =>
    Object.fromEntries(keys.filter((key) => one.has(key)).map((key) => [key, one.at(key).value]));
  return {
    ...only(ebm, ["outputs", "intercept"]),
    features: ebm
      .at("features")
      .items()
      .map((one) => only(one, ["name", "type", "cuts", "categories"])),
    terms: ebm
      .at("terms")
      .items()
      .map((one) => only(one, ["term_features", "scores"])),
  };
}

import { SAVED_VERSION } from "../model/saved.ts";
import { treeModel } from "../model/trees/model.ts";
import { NODE } from "../model/trees/structure.ts";
import type { Model, Trees } from "../types.ts";
import { bitSets, checkTree, emptyTree, type FileTree, joinTrees } from "./forest.ts";
import { type Part, part } from "./part.ts";

const OWNER = "loadModel";
/** `type` of a forest that another library grew. */
export const FOREST_FILE = "forest";
const LINKS = ["identity", "logistic", "softmax", "exp"] as const;
const MOST_OUTPUTS = 65536;

/**
 * A forest of another library: trees node by node, shared by margins that differ in the values of their leaves alone.
 * A node goes left where its column is at most the threshold, or one of its categories; `missingLeft` says where gaps
 * go. Two outputs may have one margin, which is the second's.
 */
export function loadForestFile(saved: unknown): Model {
  const at = part(OWNER, saved, "");
  const outputs = at.at("outputs").texts();
  if (outputs.length === 0 || outputs.length > MOST_OUTPUTS)
    throw at.at("outputs").error("must name the outputs");
  const cols = at.at("cols").whole(1, 2 ** 28);
  const link = LINKS.find((one) => one === at.at("link").text());
  if (!link) throw at.at("link").error(`must be one of ${LINKS.join(", ")}`);
  const float32 = at.has("float32") && at.at("float32").value === true;
  const sets = bitSets();
  const shapes = at
    .at("trees")
    .items()
    .map((tree) => shapeOf(tree, cols, sets));
  const forests = at
    .at("forests")
    .items()
    .map((forest): Trees => {
      const grown = grownOf(forest, shapes, cols);
      return joinTrees(grown, { base: forest.at("base").number(), link, inclusive: true, float32 });
    });
  const complete = forests.length === outputs.length || (outputs.length === 2 && forests.length === 1);
  if (!complete || (link === "softmax" && forests.length !== outputs.length))
    throw at.at("forests").error(`must have one entry for each of the ${outputs.length} outputs`);
  const document = at.value as object;
  return {
    ...treeModel({ name: "forest", outputs, cols, forests }),
    toJSON: () => ({ ...document, type: FOREST_FILE, version: SAVED_VERSION }),
  };
}

/** A tree without the values of its leaves. */
function shapeOf(at: Part, cols: number, sets: ReturnType<typeof bitSets>): FileTree {
  const feature = at.at("feature").wholes(-1, cols - 1);
  const tree = { ...emptyTree(feature.length), words: new Map<number, Uint32Array>() };
  tree.feature.set(feature);
  const splits = [...feature.keys()].filter((v) => feature[v]! >= 0);
  const put = (key: string, into: Float64Array | Int32Array): void => {
    const values = at.at(key).numbers(splits.length);
    splits.forEach((v, s) => {
      into[v] = values[s]!;
    });
  };
  put("threshold", tree.threshold);
  put("left", tree.left);
  put("right", tree.right);
  const missing = at.has("missingLeft") ? at.at("missingLeft").wholes(0, 1, splits.length) : undefined;
  splits.forEach((v, s) => {
    if (missing?.[s] === 1) tree.flags[v]! |= NODE.missingLeft;
  });
  const categories = at.has("categories") ? at.at("categories") : undefined;
  for (const key of Object.keys(Object(categories?.value))) {
    const v = Number(key);
    if (!(feature[v]! >= 0)) throw categories!.error(`names node ${key}, which tests nothing`);
    tree.flags[v]! |= NODE.categorical;
    tree.words.set(v, sets(categories!, categories!.at(key).wholes(0, 2 ** 24)));
  }
  return tree;
}

/** The trees of one margin with its values at their leaves. */
function grownOf(at: Part, shapes: readonly FileTree[], cols: number): FileTree[] {
  const values = at.at("values").items();
  const first = at.at("first").whole(0, Math.max(0, shapes.length - values.length));
  return values.map((leaves, t) => {
    const shape = shapes[first + t]!;
    const nodes = [...shape.feature.keys()].filter((v) => shape.feature[v]! < 0);
    const told = leaves.numbers(nodes.length);
    const value = new Float64Array(shape.feature.length);
    nodes.forEach((v, s) => {
      value[v] = told[s]!;
    });
    const tree = { ...shape, value };
    checkTree(leaves, tree, cols);
    return tree;
  });
}

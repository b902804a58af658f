import { linearKernels } from "../model/linear-kernels.ts";
import { forestError, linearRounding } from "../model/rounding.ts";
import type { LinearStructure, Link, Structure, Trees } from "../types.ts";
import { affineOf } from "./onnx-affine.ts";
import { ensembleForest, floatsAt, isEnsemble, readEnsemble } from "./onnx-ensemble.ts";
import type { OnnxGraph } from "./onnx-graph.ts";
import type { OnnxNode } from "./onnx-tensor.ts";
import { type OnnxWalk, onnxWalk } from "./onnx-walk.ts";

const LINKS: Readonly<Record<string, Link>> = { Sigmoid: "logistic", Softmax: "softmax", Exp: "exp" };
const POST: Readonly<Record<string, Link>> = { NONE: "identity", LOGISTIC: "logistic", SOFTMAX: "softmax" };

/**
 * What a graph computes where that is a plain linear model or one tree ensemble, as each column of `output`
 * sees it; undefined otherwise. A Normalizer at the end is looked through. The caller holds the answer
 * against the runtime's before it is used.
 */
export function onnxStructure(graph: OnnxGraph, output: string, cols: number): Structure[] | undefined {
  const walk = onnxWalk(graph, cols);
  const top = walk.maker(walk.through(output, ["Normalizer"]));
  if (!top) return undefined;
  const link = LINKS[top.op];
  const name = link ? walk.through(top.inputs[0] ?? "") : walk.through(output, ["Normalizer"]);
  const node = walk.maker(name);
  if (!node) return undefined;
  if (isEnsemble(node)) return ensembleStructure(walk, node, link ?? "identity");
  if (node.op === "LinearClassifier" || node.op === "LinearRegressor")
    return linearNode(walk, node, link ?? "identity");
  const found = affineOf(walk, name);
  return found && linearStructures(walk, found, link ?? "identity");
}

/** The link of a node with its own post-transform below an outer one; undefined where both act, or it is unknown. */
function joinedLink(post: string, outer: Link): Link | undefined {
  const own = POST[post];
  if (own === "identity") return outer;
  return outer === "identity" ? own : undefined;
}

/** One forest per class or target; two classes told by one forest are that forest and its complement. */
function ensembleStructure(walk: OnnxWalk, node: OnnxNode, outer: Link): Structure[] | undefined {
  const input = node.inputs[0] ?? "";
  const columns = walk.columns(input);
  const ensemble = readEnsemble(node);
  const classifies = node.op === "TreeEnsembleClassifier";
  const outputs = classifies ? labelsOf(node).length : ensemble.targets;
  // The runtime transforms no lone target.
  const bare = !classifies && outputs === 1 && POST[ensemble.post];
  const link = joinedLink(bare ? "NONE" : ensemble.post, outer);
  if (!columns || columns.length < ensemble.cols || ensemble.inclusive === undefined || !link)
    return undefined;
  const base = floatsAt(node, "base_values");
  const factor = ensemble.average ? 1 / ensemble.trees.length : 1;
  const forest = (pick: (index: number) => boolean, start: number, sign = 1): Trees =>
    ensembleForest(ensemble, pick, {
      base: start,
      link,
      float32: walk.float32(input),
      factor: sign * factor,
      columns,
    });
  if (outputs > 65536) return undefined;
  if (classifies && outputs === 2 && new Set(ensemble.weights.map((w) => w.index)).size === 1) {
    const start = base.at(-1) ?? 0;
    const all = (): boolean => true;
    const [other, own] = [forest(all, link === "identity" ? 1 - start : -start, -1), forest(all, start)];
    // The complement is 1 − (start + Σ leaves), of which 1 − start alone is in its base.
    return [{ ...other, rounding: () => forestError(other, true, 1 + Math.abs(start)) }, own];
  }
  return Array.from({ length: outputs }, (_, o) => forest((index) => index === o, base[o] ?? 0));
}

/** LinearClassifier and LinearRegressor; one margin with two labels is a pair of outputs. */
function linearNode(walk: OnnxWalk, node: OnnxNode, outer: Link): Structure[] | undefined {
  const link = joinedLink(node.attributes.get("post_transform")?.text(4) ?? "NONE", outer);
  const weights = node.attributes.get("coefficients")?.floats(7, 4) ?? new Float64Array(0);
  const intercepts = node.attributes.get("intercepts")?.floats(7, 4) ?? new Float64Array(0);
  const targets = node.attributes.get("targets")?.whole(3) ?? 1;
  const out = node.op === "LinearClassifier" ? intercepts.length : targets;
  if (!link || !(out >= 1) || weights.length === 0 || weights.length % out !== 0) return undefined;
  const offset = intercepts.length === out ? intercepts : new Float64Array(out);
  const found = affineOf(walk, node.inputs[0] ?? "", { in: weights.length / out, out, weights, offset });
  if (!found) return undefined;
  const structures = linearStructures(walk, found, link);
  const only = structures[0]!;
  const pair = node.op === "LinearClassifier" && out === 1 && labelsOf(node).length === 2;
  return pair
    ? [{ ...only, intercept: -only.intercept, weights: only.weights.map((w) => -w) }, only]
    : structures;
}

function linearStructures(
  walk: OnnxWalk,
  { map, sizes, columns, operations }: NonNullable<ReturnType<typeof affineOf>>,
  link: Link,
): LinearStructure[] {
  const marginOf = (from: typeof map, o: number): Pick<LinearStructure, "intercept" | "weights"> => {
    const weights = new Float64Array(walk.cols);
    for (let k = 0; k < from.in; k++) weights[columns[k]!]! += from.weights[o * from.in + k]!;
    return { intercept: from.offset[o]!, weights };
  };
  return Array.from({ length: map.out }, (_, o) => {
    // Runtimes sum in float32, in an order of their own.
    const rounding = linearRounding(marginOf(sizes, o), operations + 4, true);
    return { kind: "linear", ...marginOf(map, o), link, single: true, rounding, kernels: linearKernels };
  });
}

/** Names of the `count` columns of an output, where a ZipMap or the classifier behind it tells them. */
export function classNames(graph: OnnxGraph, output: string, count: number): string[] | undefined {
  const walk = onnxWalk(graph, 1);
  const behind = walk.maker(walk.through(output, ["Normalizer", "Softmax", "Sigmoid"]));
  const lists = [graph.classes.get(output) ?? [], behind ? labelsOf(behind) : []];
  return lists.map((list) => [...list]).find((list) => list.length === count && new Set(list).size === count);
}

function labelsOf(node: OnnxNode): string[] {
  const names = node.attributes.get("classlabels_strings")?.texts(9) ?? [];
  if (names.length > 0) return names;
  const numbers = ["classlabels_int64s", "classlabels_ints"].map(
    (name) => node.attributes.get(name)?.wholes(8) ?? [],
  );
  return numbers.flatMap((list) => Array.from(list, String));
}

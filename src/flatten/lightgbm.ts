import type { FlatModel, Tree } from "../certificate.ts";
import type { FlatFile } from "./file.ts";

const LINKS: Readonly<Record<string, FlatModel["link"]>> = {
  binary: "logistic",
  multiclassova: "logistic",
  cross_entropy: "logistic",
  multiclass: "softmax",
  poisson: "exp",
  gamma: "exp",
  tweedie: "exp",
};

type Section = ReadonlyMap<string, string>;

/** A LightGBM text file: double sums, left up to a threshold, members of a category set left. */
export function flatLightgbm(text: string): FlatFile | undefined {
  const [head = "", ...bodies] = text.split(/^end of trees/m)[0]!.split(/^Tree=\d+\r?\n/m);
  const header = section(head);
  const [objective = "", ...words] = (header.get("objective") ?? "").split(" ");
  const groups = Number(header.get("num_tree_per_iteration"));
  const scale = words.find((word) => word.startsWith("sigmoid:"));
  if (words.includes("sqrt") || (scale !== undefined && Number(scale.slice(8)) !== 1)) return undefined;
  const divisor = header.has("average_output") ? Math.max(1, Math.floor(bodies.length / groups)) : 1;
  const trees = bodies.map((body) => treeOf(section(body), 1 / divisor));
  const sums = Array.from({ length: groups }, (_, g) => ({
    base: 0,
    trees: trees.filter((_tree, t) => t % groups === g),
  }));
  const outputs = groups === 1 && objective === "binary" ? 2 : groups;
  const rule = { below: false, float32: false, single: false, skipsMissing: false };
  const names = header.get("feature_names")?.split(" ");
  return {
    model: { outputs, link: LINKS[objective] ?? "identity", ...rule, sums },
    ...(names ? { names } : {}),
  };
}

function section(text: string): Section {
  const lines = text.split(/\r?\n/);
  return new Map(lines.map((line) => [line.split("=", 1)[0]!, line.slice(line.indexOf("=") + 1)]));
}

/** A number; an infinite one, which JSON cannot write, becomes the largest there is. */
function finite(word: string): number {
  const value = Number(word.replace(/^(-?)inf(inity)?$/i, "$11e999"));
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** L − 1 splits; a child below 0 is the leaf −1 − child. */
function treeOf(at: Section, factor: number): Tree {
  const list = (key: string): number[] => (at.get(key) ?? "").trim().split(" ").filter(Boolean).map(finite);
  const [value, column, threshold] = [list("leaf_value"), list("split_feature"), list("threshold")];
  const [decision, left, right] = [list("decision_type"), list("left_child"), list("right_child")];
  const [starts, words] = [list("cat_boundaries"), list("cat_threshold")];
  const members = (set: number): number[] =>
    words
      .slice(starts[set], starts[set + 1])
      .flatMap((word, w) =>
        Array.from({ length: 32 }, (_, bit) => (((word >>> bit) & 1) === 1 ? 32 * w + bit : -1)).filter(
          (c) => c >= 0,
        ),
      );
  const tree = (node: number): Tree => {
    if (node < 0) return value[-1 - node]! * factor;
    const [rule, edge, k] = [decision[node]!, threshold[node]!, column[node]!];
    const children = [tree(left[node]!), tree(right[node]!)] as const;
    if ((rule & 1) === 1) return [k, members(edge), 0, ...children];
    // "No missing values": a gap is read as 0. The third kind, zero as missing, has no certificate.
    const gapLeft = rule >> 2 === 0 ? edge >= 0 : (rule & 2) !== 0;
    return [k, rule >> 2 === 1 ? Number.NaN : edge, gapLeft ? 1 : 0, ...children];
  };
  return value.length === 1 ? value[0]! * factor : tree(0);
}

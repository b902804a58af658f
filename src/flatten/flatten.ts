import type { FlatModel, Input } from "../certificate.ts";
import type { FlatFile, Json } from "./file.ts";
import { flatLightgbm } from "./lightgbm.ts";
import { flatXgboost } from "./xgboost.ts";

/** XGBoost's JSON, LightGBM's text, or a model saved by this package; undefined for other files. */
export function flatten(text: string): FlatFile | undefined {
  if (/^tree\r?\n/.test(text)) return flatLightgbm(text);
  if (!text.trimStart().startsWith("{")) return undefined;
  // Python's writer knows NaN, at nodes that test categories, and Infinity.
  const plain = text.replace(/(?<=[[,:\s]-?)NaN\b/g, "null").replace(/(?<=[[,:\s]-?)Infinity\b/g, "1e999");
  return ofJson(JSON.parse(plain));
}

function ofJson(file: Json): FlatFile | undefined {
  if (file.learner) return flatXgboost(file);
  if (file.type === "xgboost-file") return flatXgboost(file.document);
  if (file.type === "lightgbm-file") return flatLightgbm(file.text);
  if (file.type === "bound") return ofJson(file.model);
  if (file.type === "encoded" || file.type === "cola-model") {
    const inner = ofJson(file.model);
    return inner && { ...inner, inputs: inputsOf(file.encoder) };
  }
  if (file.type === "trees") return { model: ownTrees(file) };
  return Array.isArray(file.weights) ? { model: ownLinear(file) } : undefined;
}

const OWN = { below: false, float32: false, single: false, skipsMissing: false };

/** m_j = intercepts[j] + Σ weights[j, k]·z_k. */
function ownLinear({ outputs, link, cols, weights, intercepts }: Json): FlatModel {
  const sums = intercepts.map((base: number, j: number) => ({
    base,
    weights: weights.slice(j * cols, (j + 1) * cols),
  }));
  return { ...OWN, outputs: outputs.length, link, sums };
}

/** Splits and leaves stand in the order of their nodes; a right child follows its left sibling. */
function ownTrees({ outputs, link, shapes, forests }: Json): FlatModel {
  const sums = forests.map(({ shape, base, value }: Json) => {
    const { roots, feature, threshold, left, missingLeft } = shapes[shape];
    let [splits, leaves] = [0, 0];
    const place = feature.map((column: number) => (column < 0 ? leaves++ : splits++));
    const tree = (node: number): Json => {
      const at = place[node];
      if (feature[node] < 0) return value[at];
      const first = left[at];
      return [feature[node], threshold[at], missingLeft[at] ? 1 : 0, tree(first), tree(first + 1)];
    };
    return { base, trees: roots.map(tree) };
  });
  return { ...OWN, outputs: outputs.length, link, sums };
}

/** The columns that the encoder of a saved model makes. */
export function inputsOf({ rules, options }: Json): Input[] {
  const inputs: Input[] = [];
  rules.forEach(({ kind, columns, shift, scale, fill, indicator }: Json, k: number) => {
    const missing = options.missing === "keep" ? null : kind === "onehot" ? 0 : fill;
    const width = Math.max(...columns) + 1;
    if (kind === "number") inputs.push({ feature: k, shift, scale, missing });
    else
      for (let c = 0; c < width; c++)
        inputs.push({ feature: k, levels: columns.map((at: number) => (at === c ? 1 : 0)), missing });
    if (indicator >= 0) inputs.push({ feature: k, constant: 0, missing: 1 });
  });
  return inputs;
}

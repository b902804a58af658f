import type { Matrix } from "../types.ts";
import { linearKernels } from "./linear-kernels.ts";
import { linearRounding } from "./rounding.ts";
import { marginModel, type SmoothModel } from "./row-model.ts";
import { SAVED_VERSION, type Saved } from "./saved.ts";

/** Weights of M linear margins: m_j(z) = intercepts[j] + Σ_k weights[j, k] z_k. */
export interface LinearWeights {
  /** M × cols. */
  readonly weights: Matrix;
  readonly intercepts: Float64Array;
}

const LINKS = ["logistic", "identity", "softmax"] as const;

/** The model of linear margins: one for two classes, one per class with softmax. */
export function linearModel(
  type: string,
  outputs: readonly string[],
  { weights, intercepts }: LinearWeights,
  link: (typeof LINKS)[number],
): SmoothModel {
  const { cols, data } = weights;
  return marginModel({
    owner: type,
    outputs,
    cols,
    link,
    margins: (cells, at, out) => {
      for (let j = 0; j < out.length; j++) {
        let sum = intercepts[j]!;
        for (let k = 0; k < cols; k++) sum += data[j * cols + k]! * cells[at + k]!;
        out[j] = sum;
      }
    },
    jacobian: (_cells, _at, out) => out.set(data),
    structure: (output) => {
      const rest = { kind: "linear", link, kernels: linearKernels } as const;
      if (link === "softmax") {
        const own = data.slice(output * cols, (output + 1) * cols);
        return { ...rest, intercept: intercepts[output]!, weights: own };
      }
      if (output === 1) return { ...rest, intercept: intercepts[0]!, weights: data.slice() };
      const other = { ...rest, weights: data.map((w) => -w) };
      if (link === "logistic") return { ...other, intercept: -intercepts[0]! };
      // 1 − (b + Σ w z): b may be larger than 1 − b.
      const sizes = { intercept: 1 + Math.abs(intercepts[0]!), weights: data };
      return { ...other, intercept: 1 - intercepts[0]!, rounding: linearRounding(sizes, cols + 4) };
    },
    toJSON: () => ({
      type,
      version: SAVED_VERSION,
      outputs,
      link,
      cols,
      weights: Array.from(data),
      intercepts: Array.from(intercepts),
    }),
  });
}

export function loadLinear(type: string, saved: Saved): SmoothModel {
  const outputs = saved.texts("outputs", 2);
  const link = saved.choice("link", LINKS);
  const cols = saved.whole("cols", 1);
  saved.check(link === "softmax" || outputs.length === 2, `"link" ${link} needs two outputs`);
  const margins = link === "softmax" ? outputs.length : 1;
  const weights = { data: saved.numbers("weights", margins * cols), rows: margins, cols };
  return linearModel(type, outputs, { weights, intercepts: saved.numbers("intercepts", margins) }, link);
}

import { linearKernels } from "../../src/model/linear-kernels.ts";
import { applyLink } from "../../src/model/link.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Link, Matrix, Model, PredictFunction } from "../../src/types.ts";
import { wildForest } from "./forests.ts";

/** Columns of the models below. */
export const COLS = 6;
/** Three players of them. */
export const GROUPS = [[0, 4], [2], [5, 3, 1]];

export function farthest(a: Matrix, b: Matrix): number {
  return a.data.reduce((most, v, at) => Math.max(most, Math.abs(v - b.data[at]!)), 0);
}

export function byRow(f: (z: Float64Array) => number): PredictFunction {
  return (rows) => Float64Array.from({ length: rows.rows }, (_, i) => f(rowOf(rows, i)));
}

/** The same model without its inside. */
export function closed(model: Model, output?: number): PredictFunction {
  return (rows) => model.predict(rows, output);
}

export function forestModel(seed: number, link: Link): Model {
  const outputs = link === "softmax" ? ["a", "b", "c"] : ["score"];
  const forests = outputs.map((_, o) => wildForest(seed + o, { cols: COLS, link }));
  return treeModel({ name: "forest", outputs, cols: COLS, forests });
}

export function linearModel(seed: number, link: Link, scale = 1): Model {
  const random = stream(seed, "weights");
  const w = Float64Array.from({ length: COLS }, () => scale * random.normal());
  const margin = (rows: Matrix): Float64Array =>
    Float64Array.from({ length: rows.rows }, (_, i) =>
      rowOf(rows, i).reduce((sum, v, k) => sum + v * w[k]!, 0.2),
    );
  return {
    outputs: ["score"],
    predict: (rows) => margin(rows).map((m) => applyLink(link, m)),
    structure: () => ({ kind: "linear", intercept: 0.2, weights: w, link, kernels: linearKernels }),
  };
}

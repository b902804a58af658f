import { ColaError } from "../errors.ts";
import type { Bound, Matrix, Model, Structure } from "../types.ts";
import { outputIndex } from "./contract.ts";
import { sigmoid } from "./link.ts";
import { softmaxInto } from "./loss.ts";

/** A model told by what it does to one row: cells[at … at + cols − 1]. */
interface RowSpec {
  readonly owner: string;
  readonly outputs: readonly string[];
  readonly cols: number;
  /** How many rows `scores` is given at once where there are as many. Default 1. */
  readonly block?: number;
  /** Writes the score of every output, for `count` rows one after the other; none may feel its neighbours. */
  scores(cells: Float64Array, at: number, out: Float64Array, count: number): void;
  /** Writes ∂score/∂cell of one output. */
  gradient(cells: Float64Array, at: number, output: number, out: Float64Array): void;
  toJSON(): object;
}

/** What the classifiers of this folder return: they score at once and can be saved. */
export interface FittedModel extends Model {
  predict(rows: Matrix, output?: number): Float64Array;
  toJSON(): object;
}

/** A fitted model with a derivative everywhere it has one. */
export interface SmoothModel extends FittedModel {
  gradient(rows: Matrix, output?: number): Matrix;
}

/** A Model that treats every row alone, so that neither batch size nor neighbours can change a bit. */
export function rowModel(spec: RowSpec): SmoothModel {
  const { owner, outputs, cols, block = 1 } = spec;
  const scores = new Float64Array(block * outputs.length);
  const model: SmoothModel = {
    outputs,
    predict: (rows, output) => {
      const o = outputIndex(model, output);
      checkRows(owner, rows, cols);
      const out = new Float64Array(rows.rows);
      for (let i = 0; i < rows.rows; i += block) {
        const count = Math.min(block, rows.rows - i);
        spec.scores(rows.data, i * cols, scores, count);
        for (let k = 0; k < count; k++) out[i + k] = scores[k * outputs.length + o]!;
      }
      return out;
    },
    gradient: (rows, output) => {
      const o = outputIndex(model, output);
      checkRows(owner, rows, cols);
      const data = new Float64Array(rows.rows * cols);
      for (let at = 0; at < data.length; at += cols) {
        spec.gradient(rows.data, at, o, data.subarray(at, at + cols));
      }
      return { data, rows: rows.rows, cols };
    },
    toJSON: () => spec.toJSON(),
  };
  return model;
}

function checkRows(owner: string, rows: Matrix, cols: number): void {
  if (rows.cols !== cols) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: the model reads ${cols} columns, but the rows have ${rows.cols}; give the columns it was fitted on, in order.`,
      { cols: rows.cols, expected: cols },
    );
  }
  refuseMissing(owner, rows);
}

/**
 * A classifier told by its margins: one margin m for two classes (score σ(m) with `logistic`, m itself with
 * `identity`; the other class has 1 − score), else one per class and softmax.
 */
interface MarginSpec {
  readonly owner: string;
  readonly outputs: readonly string[];
  readonly cols: number;
  readonly link: "logistic" | "identity" | "softmax";
  margins(cells: Float64Array, at: number, out: Float64Array): void;
  /** Writes ∂margin/∂cell, one row of `cols` cells per margin. */
  jacobian(cells: Float64Array, at: number, out: Float64Array): void;
  structure?(output: number): Structure | undefined;
  bound?(output: number): Bound | undefined;
  toJSON(): object;
}

export function marginModel(spec: MarginSpec): SmoothModel {
  const { owner, outputs, cols, link } = spec;
  const margins = new Float64Array(link === "softmax" ? outputs.length : 1);
  const jacobian = new Float64Array(margins.length * cols);
  const scores = new Float64Array(outputs.length);
  const scoresInto = (cells: Float64Array, at: number, out: Float64Array): void => {
    spec.margins(cells, at, margins);
    if (link === "softmax") softmaxInto(margins, out);
    else {
      out[1] = link === "logistic" ? sigmoid(margins[0]!) : margins[0]!;
      out[0] = link === "logistic" ? sigmoid(-margins[0]!) : 1 - margins[0]!;
    }
  };
  const gradientInto = (cells: Float64Array, at: number, o: number, out: Float64Array): void => {
    scoresInto(cells, at, scores);
    spec.jacobian(cells, at, jacobian);
    // ∂s_o = Σ_j s_o (1[o = j] − s_j) ∂m_j; with one margin the sum has the term of class 1 alone.
    for (let k = 0; k < cols; k++) {
      let sum = 0;
      for (let m = 0; m < margins.length; m++) {
        sum += slope(link, scores, o, link === "softmax" ? m : 1) * jacobian[m * cols + k]!;
      }
      out[k] = sum;
    }
  };
  const model = rowModel({
    owner,
    outputs,
    cols,
    scores: scoresInto,
    gradient: gradientInto,
    toJSON: () => spec.toJSON(),
  });
  const margin = (rows: Matrix, output?: number): Float64Array => {
    const o = outputIndex(model, output);
    checkRows(owner, rows, cols);
    return new Float64Array(rows.rows).map((_, i) => {
      spec.margins(rows.data, i * cols, margins);
      if (link === "softmax") return margins[o]!;
      if (o === 1) return margins[0]!;
      return link === "logistic" ? -margins[0]! : 1 - margins[0]!;
    });
  };
  const { structure, bound } = spec;
  return { ...model, margin, ...(structure ? { structure } : {}), ...(bound ? { bound } : {}) };
}

/** ∂score_o/∂margin_j. */
function slope(link: MarginSpec["link"], scores: Float64Array, o: number, j: number): number {
  if (link === "identity") return o === 1 ? 1 : -1;
  if (link === "logistic") return (o === 1 ? 1 : -1) * scores[0]! * scores[1]!;
  return scores[o]! * ((o === j ? 1 : 0) - scores[j]!);
}

/** Throws INPUT_NOT_FINITE when a cell of x is missing (or not finite), naming row and column. */
export function refuseMissing(owner: string, x: Matrix): void {
  for (let c = 0; c < x.data.length; c++) {
    const v = x.data[c]!;
    if (v - v === 0) continue;
    const row = Math.floor(c / x.cols);
    throw new ColaError(
      "INPUT_NOT_FINITE",
      `${owner}: column ${c % x.cols} of row ${row} is ${Number.isNaN(v) ? "missing (NaN)" : v}, and this model reads finite numbers only; fill missing values in first, or use a tree model.`,
      { row, column: c % x.cols, value: String(v) },
    );
  }
}

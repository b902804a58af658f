import { ColaError } from "../../errors.ts";
import { checkMatrix, takeRows } from "../../num/matrix.ts";
import type { Matrix } from "../../types.ts";
import { type Rule, whole } from "../options.ts";
import { classTask, type FitOptions } from "../training.ts";
import { upTo } from "./up-to.ts";

/** What the tree models take beside their own options. */
export interface TreeFitOptions extends FitOptions {
  /** `regression`: y are numbers, there is one output, and weights are those of rows alone. Default `classification`. */
  readonly task?: "classification" | "regression";
}

/** Rows of positive weight in canonical order. */
export interface TrainingSet {
  readonly x: Matrix;
  /** Class index, or the number to predict. */
  readonly y: Float64Array;
  readonly weights: Float64Array;
  /** Names of the outputs: the classes, or `value`. */
  readonly outputs: readonly string[];
  /** 0 for regression. */
  readonly classes: number;
}

/**
 * The door of the tree models: checks rows, targets and weights, and sorts the rows by content, then
 * target, then weight. So the order they were given in can change nothing, bootstrap draws included.
 */
export function prepare(
  owner: string,
  x: Matrix,
  y: ArrayLike<number>,
  options: TreeFitOptions = {},
): TrainingSet {
  if (options.task === "regression") {
    checkMatrix(owner, "x", x);
    const targets = checkNumbers(owner, "y", y, x.rows);
    return canonical(x, targets, rowWeights(owner, x.rows, options), ["value"], 0);
  }
  const task = classTask(owner, x, y, options, "allowed");
  return canonical(x, Float64Array.from(task.labels), task.weights, task.classes, task.classes.length);
}

function checkNumbers(owner: string, name: string, given: ArrayLike<number>, rows: number): Float64Array {
  if (given?.length !== rows) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: x has ${rows} rows and ${name} ${given?.length ?? "no"} numbers; give one per row.`,
      { rows, length: given?.length },
    );
  }
  return Float64Array.from({ length: rows }, (_, i) => {
    const v = given[i]!;
    if (typeof v === "number" && v - v === 0) return v;
    throw new ColaError("VALUE_INVALID", `${owner}: ${name}[${i}] is ${v}; give finite numbers.`, {
      row: i,
      value: String(v),
    });
  });
}

function rowWeights(owner: string, rows: number, options: TreeFitOptions): Float64Array {
  if (options.classWeight !== undefined || options.classes !== undefined) {
    throw new ColaError(
      "OPTION_INVALID",
      `${owner}: classes and classWeight belong to classification; leave them out of a regression.`,
    );
  }
  if (!options.weights) return new Float64Array(rows).fill(1);
  const weights = checkNumbers(owner, "options.weights", options.weights, rows);
  if (weights.every((w) => w >= 0) && weights.some((w) => w > 0)) return weights;
  throw new ColaError("WEIGHTS_INVALID", `${owner}: row weights must be ≥ 0 and not all 0.`);
}

function canonical(
  x: Matrix,
  y: Float64Array,
  weights: Float64Array,
  outputs: readonly string[],
  classes: number,
): TrainingSet {
  const order = upTo(x.rows)
    .filter((i) => weights[i]! > 0)
    .sort((a, b) => compareRows(x, a, b) || y[a]! - y[b]! || weights[a]! - weights[b]!);
  return {
    x: takeRows(x, order),
    y: Float64Array.from(order, (i) => y[i]!),
    weights: Float64Array.from(order, (i) => weights[i]!),
    outputs,
    classes,
  };
}

/** Lexicographic, missing last. */
function compareRows(x: Matrix, a: number, b: number): number {
  for (let k = 0; k < x.cols; k++) {
    const u = x.data[a * x.cols + k]!;
    const v = x.data[b * x.cols + k]!;
    if (u < v || (Number.isNaN(v) && !Number.isNaN(u))) return -1;
    if (u > v || (Number.isNaN(u) && !Number.isNaN(v))) return 1;
  }
  return 0;
}

/** A whole number ≥ min, or Infinity for no limit. */
export function limit(fallback: number, min: number): Rule<number> {
  const rule = whole(fallback, min);
  return {
    ...rule,
    says: `${rule.says}, or Infinity`,
    accepts: (v) => v === Number.POSITIVE_INFINITY || rule.accepts(v),
  };
}

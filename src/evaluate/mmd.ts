import { weightsOf } from "../couple/weights.ts";
import { ColaError } from "../errors.ts";
import { mmd as evenMmd } from "../num/divergence.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import { median } from "../num/stats.ts";
import type { Matrix } from "../types.ts";
import { checkSample, type SampleWeights } from "./sample.ts";

export interface MmdOptions extends SampleWeights {
  /** γ of the kernel e^(−γ‖u−v‖²), or `median`: 1/(2 s²) with s the median distance of the pooled rows. Default 1. */
  readonly gamma?: number | "median";
  /** Leave out the pairs of a row with itself. Default false: the biased V-statistic. */
  readonly unbiased?: boolean;
  /** Default `gaussian`; `linear` is u·v, whose MMD² is the squared distance of the means. */
  readonly kernel?: "gaussian" | "linear";
}

type Sample = ArrayLike<number> | Matrix;
type Kernel = (u: Matrix, i: number, v: Matrix, j: number) => number;

/**
 * MMD²(a, b) = Σ w_i w_i′ k(a_i, a_i′) + Σ w_j w_j′ k(b_j, b_j′) − 2 Σ w_i w_j k(a_i, b_j), without a root;
 * a and b are numbers or rows (n × d and m × d). `unbiased` leaves out i = i′ and j = j′, rescales, and may
 * be negative.
 */
export function mmd(a: Sample, b: Sample, options: MmdOptions = {}): number {
  const { gamma = 1, unbiased = false, kernel = "gaussian", wa, wb } = options;
  const [x, y] = [rowsOf("a", a), rowsOf("b", b)];
  checkSameCols("mmd", x, y, "a and b");
  const g = kernel === "linear" ? 0 : gamma === "median" ? medianGamma(a, b) : checkedGamma(gamma);
  const plain = !unbiased && kernel === "gaussian" && wa === undefined && wb === undefined;
  if (plain && x.cols === 1) return evenMmd(x.data, y.data, g);
  const u = weightsOf("mmd", "wa", wa, x.rows);
  const v = weightsOf("mmd", "wb", wb, y.rows);
  const k: Kernel = kernel === "linear" ? dot : (p, i, q, j) => Math.exp(-g * squared(p, i, q, j));
  return within("a", x, u, k, unbiased) + within("b", y, v, k, unbiased) - 2 * across(x, u, y, v, k);
}

/** 1/(2 s²), s the median Euclidean distance of all pairs of the pooled rows, zeros included. */
export function medianGamma(a: Sample, b: Sample): number {
  const [x, y] = [rowsOf("a", a), rowsOf("b", b)];
  const pool = { data: Float64Array.from([...x.data, ...y.data]), rows: x.rows + y.rows, cols: x.cols };
  const distances = new Float64Array((pool.rows * (pool.rows - 1)) / 2);
  let at = 0;
  for (let i = 0; i < pool.rows; i++) {
    for (let j = i + 1; j < pool.rows; j++) distances[at++] = Math.sqrt(squared(pool, i, pool, j));
  }
  const s = median(distances);
  if (s > 0) return 1 / (2 * s * s);
  throw new ColaError(
    "OPTION_INVALID",
    "mmd: the median distance of the pooled rows is 0, which gives no gamma; give gamma as a number.",
    { option: "gamma" },
  );
}

/** Σ_{i, i′} w_i w_i′ k(x_i, x_i′); without i = i′ divided by 1 − Σ w_i². */
function within(name: string, x: Matrix, w: Float64Array, k: Kernel, unbiased: boolean): number {
  let pairs = 0;
  let same = 0;
  let squares = 0;
  for (let i = 0; i < x.rows; i++) {
    for (let j = i + 1; j < x.rows; j++) pairs += 2 * w[i]! * w[j]! * k(x, i, x, j);
    same += w[i]! * w[i]! * k(x, i, x, i);
    squares += w[i]! * w[i]!;
  }
  if (!unbiased) return pairs + same;
  if (squares < 1) return pairs / (1 - squares);
  throw new ColaError(
    "INPUT_EMPTY",
    `mmd: the unbiased estimate needs two rows with weight in ${name}; give more rows or leave unbiased out.`,
    { name },
  );
}

function across(x: Matrix, u: Float64Array, y: Matrix, v: Float64Array, k: Kernel): number {
  let sum = 0;
  for (let i = 0; i < x.rows; i++) for (let j = 0; j < y.rows; j++) sum += u[i]! * v[j]! * k(x, i, y, j);
  return sum;
}

function rowsOf(name: string, sample: Sample): Matrix {
  if ("rows" in sample) {
    checkMatrix("mmd", name, sample, true);
    return sample;
  }
  checkSample("mmd", name, sample);
  return { data: Float64Array.from(sample), rows: sample.length, cols: 1 };
}

function squared(x: Matrix, i: number, y: Matrix, j: number): number {
  let sum = 0;
  for (let k = 0; k < x.cols; k++) sum += (x.data[i * x.cols + k]! - y.data[j * y.cols + k]!) ** 2;
  return sum;
}

function dot(x: Matrix, i: number, y: Matrix, j: number): number {
  let sum = 0;
  for (let k = 0; k < x.cols; k++) sum += x.data[i * x.cols + k]! * y.data[j * y.cols + k]!;
  return sum;
}

function checkedGamma(gamma: number): number {
  if (gamma > 0 && gamma < Number.POSITIVE_INFINITY) return gamma;
  throw new ColaError(
    "OPTION_INVALID",
    `mmd: gamma must be a finite number above 0 or "median", not ${gamma}.`,
    {
      option: "gamma",
      value: String(gamma),
    },
  );
}

import { ColaError } from "../errors.ts";
import { checkMatrix, checkSameCols, sameValue } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";

export interface SparsityOptions {
  /** Numbers this close are the same value, one for all columns or one each. Default 0. */
  readonly tolerance?: number | ArrayLike<number>;
  /** Columns that are one feature, and one edit, together. Columns in no group do not count. Default: each its own. */
  readonly groups?: readonly (readonly number[])[];
}

export interface Sparsity {
  /** c_ik: 1 where row i changed feature k; n × features. */
  readonly changed: Uint8Array;
  /** ‖z_i − x_i‖₀ of each row. */
  readonly edits: Int32Array;
  readonly total: number;
  /** Edits per row. */
  readonly mean: number;
  /** Rows that changed each feature. */
  readonly byFeature: Int32Array;
}

/**
 * ‖z_i − x_i‖₀ = number of features k with z_ik ≠ x_ik. A missing value equals a missing value and nothing
 * else. Shapes: x and z are n × d.
 */
export function sparsity(x: Matrix, z: Matrix, options: SparsityOptions = {}): Sparsity {
  checkPair("sparsity", x, z, "z");
  checkOptions(options, x.cols);
  const changed = changes(x, z, options);
  const features = options.groups?.length ?? x.cols;
  const edits = new Int32Array(x.rows);
  const byFeature = new Int32Array(features);
  for (const [at, bit] of changed.entries()) {
    edits[Math.floor(at / features)]! += bit;
    byFeature[at % features]! += bit;
  }
  const total = edits.reduce((sum, count) => sum + count, 0);
  return { changed, edits, total, mean: total / x.rows, byFeature };
}

/** c_ik of every row and feature. */
function changes(x: Matrix, z: Matrix, { tolerance = 0, groups }: SparsityOptions): Uint8Array {
  const within = typeof tolerance === "number" ? () => tolerance : (k: number) => tolerance[k] ?? 0;
  const differs = (i: number, k: number): boolean => {
    const [from, to] = [x.data[i * x.cols + k]!, z.data[i * x.cols + k]!];
    return !(sameValue(from, to) || Math.abs(from - to) <= within(k));
  };
  const features = groups ?? Array.from({ length: x.cols }, (_, k) => [k]);
  const changed = new Uint8Array(x.rows * features.length);
  for (let i = 0; i < x.rows; i++) {
    for (const [f, columns] of features.entries()) {
      changed[i * features.length + f] = Number(columns.some((k) => differs(i, k)));
    }
  }
  return changed;
}

function checkOptions({ tolerance = 0, groups = [] }: SparsityOptions, cols: number): void {
  const tolerances = typeof tolerance === "number" ? [tolerance] : Array.from(tolerance);
  const wrong = tolerances.find((t) => !(t >= 0));
  if (wrong !== undefined) {
    throw new ColaError("OPTION_INVALID", `sparsity: tolerance must not be negative, not ${wrong}.`, {
      option: "tolerance",
      value: String(wrong),
    });
  }
  const outside = groups.flat().find((k) => !(Number.isInteger(k) && k >= 0 && k < cols));
  if (outside !== undefined) {
    throw new ColaError(
      "OPTION_INVALID",
      `sparsity: groups name column ${outside}, but columns are 0 … ${cols - 1}.`,
      {
        option: "groups",
        column: outside,
      },
    );
  }
}

/** Throws unless both are well-formed and of the same shape. */
export function checkPair(owner: string, x: Matrix, z: Matrix, name: string): void {
  checkMatrix(owner, "x", x);
  checkMatrix(owner, name, z);
  checkSameCols(owner, x, z, `x and ${name}`);
  if (x.rows === z.rows) return;
  throw new ColaError(
    "INPUT_SHAPE",
    `${owner}: x has ${x.rows} rows and ${name} has ${z.rows}; row i of one belongs to row i of the other.`,
    { left: x.rows, right: z.rows },
  );
}

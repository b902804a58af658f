import { startWork } from "../budget.ts";
import { ColaError } from "../errors.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import type { Matrix, WorkOptions } from "../types.ts";
import { nearestRows } from "./nearest-rows.ts";

export interface NeighbourOptions extends WorkOptions {
  /** Neighbours that are asked. Default 5 for yNN, 20 for lof; fewer where the reference has fewer rows. */
  readonly k?: number;
}

export interface YNN {
  /** Share of each row's k nearest reference rows that are at the target. */
  readonly rows: Float64Array;
  readonly mean: number;
}

/**
 * yNN = 1/(nk) Σ_i Σ_{j ∈ kNN(z_i)} 1[reference row j is at the target]: is z where such rows are? `reaches`
 * says which reference rows the model puts at the target (`validity(model, reference, target).valid`).
 */
export async function yNN(
  z: Matrix,
  reference: Matrix,
  reaches: ArrayLike<number | boolean>,
  options: NeighbourOptions = {},
): Promise<YNN> {
  checkRows("yNN", z, reference);
  if (reaches.length !== reference.rows) {
    throw new ColaError(
      "INPUT_SHAPE",
      `yNN: ${reaches.length} flags were given for ${reference.rows} reference rows; give one per row.`,
      { flags: reaches.length, rows: reference.rows },
    );
  }
  const k = Math.min(checkedK("yNN", options.k ?? 5), reference.rows);
  const work = startWork("yNN", options);
  work.check();
  const { index } = await nearestRows(z, reference, k, work);
  const rows = new Float64Array(z.rows);
  for (const [at, j] of index.entries()) rows[Math.floor(at / k)]! += Number(Boolean(reaches[j])) / k;
  return { rows, mean: rows.reduce((sum, share) => sum + share, 0) / z.rows };
}

export function checkRows(owner: string, z: Matrix, reference: Matrix): void {
  checkMatrix(owner, "z", z);
  checkMatrix(owner, "reference", reference);
  checkSameCols(owner, z, reference, "z and reference");
}

export function checkedK(owner: string, k: number): number {
  if (Number.isInteger(k) && k > 0) return k;
  throw new ColaError("OPTION_INVALID", `${owner}: k must be a whole number above 0, not ${k}.`, {
    option: "k",
    value: String(k),
  });
}

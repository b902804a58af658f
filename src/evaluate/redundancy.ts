import { ColaError } from "../errors.ts";
import { takeRows } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";
import { type SparsityOptions, sparsity } from "./sparsity.ts";

/** Which of the rows reach the goal. */
export type Reaches = (rows: Matrix) => ArrayLike<number | boolean> | Promise<ArrayLike<number | boolean>>;

/**
 * For each row, the number of its edits that can be undone one at a time (z_ik ← x_ik) with the goal still
 * reached. A row z that does not reach the goal has none. Shapes: x and z are n × d. `reaches` is asked twice:
 * about z, and about all rows with one edit undone.
 */
export async function redundancy(
  x: Matrix,
  z: Matrix,
  reaches: Reaches,
  options: SparsityOptions = {},
): Promise<Int32Array> {
  const { changed } = sparsity(x, z, options);
  const features = changed.length / x.rows;
  const rowOf = (at: number): number => Math.floor(at / features);
  const valid = await asked(reaches, z);
  const cells = [...changed.keys()].filter((at) => changed[at] === 1 && valid[rowOf(at)]);
  const redundant = new Int32Array(x.rows);
  if (cells.length === 0) return redundant;
  const undone = takeRows(z, cells.map(rowOf));
  for (const [t, at] of cells.entries()) {
    for (const k of options.groups?.[at % features] ?? [at % features]) {
      undone.data[t * x.cols + k] = x.data[rowOf(at) * x.cols + k]!;
    }
  }
  const still = await asked(reaches, undone);
  for (const [t, at] of cells.entries()) if (still[t]) redundant[rowOf(at)]!++;
  return redundant;
}

async function asked(reaches: Reaches, rows: Matrix): Promise<ArrayLike<number | boolean>> {
  const flags = await reaches(rows);
  if (flags.length === rows.rows) return flags;
  throw new ColaError(
    "INPUT_SHAPE",
    `redundancy: reaches was given ${rows.rows} rows and returned ${flags.length} flags; return one per row.`,
    { rows: rows.rows, flags: flags.length },
  );
}

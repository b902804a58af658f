import type { Matrix } from "../types.ts";

/** The values of column k in order, without the missing ones. */
export function sortedColumn(rows: Matrix, k: number): Float64Array {
  const column = new Float64Array(rows.rows);
  let known = 0;
  for (let c = k; c < rows.data.length; c += rows.cols) {
    const v = rows.data[c]!;
    if (!Number.isNaN(v)) column[known++] = v;
  }
  return column.subarray(0, known).sort();
}

/** Sorted values, each once. */
export function distinctOf(values: Float64Array): Float64Array {
  return values.filter((v, t) => t === 0 || v !== values[t - 1]);
}

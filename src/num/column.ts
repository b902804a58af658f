import type { Matrix } from "../basic-types.ts";

/** Different values of a column up to which counting them is faster than sorting it. */
const FEW_VALUES = 1024;

/** The numbers of column k in order, without the missing ones. */
export function sortedColumn({ data, rows, cols }: Matrix, k: number): Float64Array {
  const counts = new Map<number, number>();
  const values = new Float64Array(rows);
  let known = 0;
  let few = true;
  for (let c = k; c < data.length; c += cols) {
    const v = data[c]!;
    if (Number.isNaN(v)) continue;
    values[known++] = v;
    if (!few) continue;
    counts.set(v, (counts.get(v) ?? 0) + 1);
    // Zeros of both signs are one value to a count, and two to a sort.
    few = counts.size <= FEW_VALUES && !Object.is(v, -0);
  }
  if (!few) return values.subarray(0, known).sort();
  let at = 0;
  for (const value of Float64Array.from(counts.keys()).sort()) {
    values.fill(value, at, at + counts.get(value)!);
    at += counts.get(value)!;
  }
  return values.subarray(0, known);
}

/** Sorted values, each once. */
export function distinctOf(values: Float64Array): Float64Array {
  return values.filter((v, t) => t === 0 || v !== values[t - 1]);
}

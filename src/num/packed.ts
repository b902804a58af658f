import type { Matrix } from "../types.ts";

/**
 * A table whose cells are numbers of the distinct values of their columns: a row lies in one or two lines of the cache
 * where its doubles lie in four. Values come back as they were, but for the sign of zero.
 */
export interface Packed {
  readonly rows: number;
  readonly cols: number;
  readonly codes: Uint16Array | Uint32Array;
  /** The distinct values of each column, those of column k from `start[k]` on. */
  readonly values: Float64Array;
  readonly start: Int32Array;
}

/** Whole numbers of a range up to this are looked up in an array. */
const RANGE = 2 ** 20;

export function packed({ data, rows, cols }: Matrix): Packed {
  const start = new Int32Array(cols);
  const all: number[] = [];
  const wide = new Uint32Array(data.length);
  let most = 0;
  for (let k = 0; k < cols; k++) {
    const from = all.length;
    start[k] = from;
    const place = placesIn(data, k, cols);
    for (let c = k; c < data.length; c += cols) {
      wide[c] = place(data[c]!, all.length - from);
      if (wide[c] === all.length - from) all.push(data[c]!);
    }
    most = Math.max(most, all.length - from);
  }
  const codes = most <= 2 ** 16 ? Uint16Array.from(wide) : wide;
  return { rows, cols, codes, values: Float64Array.from(all), start };
}

/** The number a value of column k was given before; where there is none, it is given `next`. */
function placesIn(data: Float64Array, k: number, cols: number): (value: number, next: number) => number {
  let [low, high, whole] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
  for (let c = k; c < data.length; c += cols) {
    const v = data[c]!;
    if (v < low) low = v;
    if (v > high) high = v;
    if (v % 1 !== 0) whole = false;
  }
  if (whole && high >= low && high - low < RANGE) {
    const places = new Int32Array(high - low + 1).fill(-1);
    return (value, next) => {
      if (places[value - low]! < 0) places[value - low] = next;
      return places[value - low]!;
    };
  }
  const places = new Map<number, number>();
  return (value, next) => {
    const known = places.get(value);
    if (known === undefined) places.set(value, next);
    return known ?? next;
  };
}

/** Cell k of row i. */
export const cellOf = ({ codes, values, start, cols }: Packed, i: number, k: number): number =>
  values[start[k]! + codes[i * cols + k]!]!;

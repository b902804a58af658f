import type { Box } from "./kernels.ts";

/** The largest size of a number in each column of a box. */
export function sizesIn(box: Box): Float64Array {
  return Float64Array.from(box, ({ low, high, values }) =>
    values
      ? values.reduce((most, v) => Math.max(most, Math.abs(v)), 0)
      : low <= high
        ? Math.max(Math.abs(low), Math.abs(high))
        : 0,
  );
}

/** A range with what rounding may add on either side. */
export function widened([low, high]: readonly [number, number], error: number): readonly [number, number] {
  const everything = Number.isNaN(low) || Number.isNaN(high) || Number.isNaN(error);
  return everything ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : [low - error, high + error];
}

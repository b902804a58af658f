import fc from "fast-check";
import { fromRows } from "../../src/num/matrix.ts";
import type { Matrix } from "../../src/types.ts";

/** A small table with ties and missing cells, classes and whole weights. */
export interface SmallTable {
  readonly x: Matrix;
  /** At least two classes occur. */
  readonly y: number[];
  readonly weights: number[];
}

export function smallTables(classes: number, missing = true): fc.Arbitrary<SmallTable> {
  const cell = fc.integer({ min: -3, max: 3 }).map((v) => v / 2);
  const cells = missing ? fc.oneof({ weight: 6, arbitrary: cell }, fc.constant(Number.NaN)) : cell;
  return fc.integer({ min: 1, max: 3 }).chain((cols) =>
    fc
      .array(
        fc.record({
          row: fc.array(cells, { minLength: cols, maxLength: cols }),
          label: fc.integer({ min: 0, max: classes - 1 }),
          weight: fc.integer({ min: 1, max: 3 }),
        }),
        { minLength: classes + 2, maxLength: 20 },
      )
      .map((rows) => ({
        x: fromRows(rows.map(({ row }) => row)),
        y: rows.map(({ label }, i) => (i < classes ? i : label)),
        weights: rows.map(({ weight }) => weight),
      })),
  );
}

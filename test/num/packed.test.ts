import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matrix } from "../../src/num/matrix.ts";
import { cellOf, packed } from "../../src/num/packed.ts";
import { refuses } from "../support/refuses.ts";

/** Columns of few whole numbers, of a range too wide for an array, of decimals, and with gaps. */
const cell = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -1e9, max: 1e9 }),
  fc.double({ noNaN: true }),
  fc.constant(Number.NaN),
);
const column = fc.oneof(
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 6, maxLength: 6 }),
  fc.array(cell, { minLength: 6, maxLength: 6 }),
);

/** Every cell comes back as it was, zero without its sign. */
function law(pack: typeof packed): void {
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 5 }), (columns) => {
      const data = Float64Array.from({ length: 6 * columns.length }, (_, c) => {
        return columns[c % columns.length]![Math.floor(c / columns.length)]!;
      });
      const made = pack(matrix(6, columns.length, data));
      for (let c = 0; c < data.length; c++)
        expect(cellOf(made, Math.floor(c / columns.length), c % columns.length) + 0).toBe(data[c]! + 0);
    }),
  );
}

describe("packed tables", () => {
  test("give back what they were made of", () => law(packed));

  test("of no rows are empty", () => {
    expect(packed(matrix(0, 3))).toMatchObject({ rows: 0, cols: 3, codes: new Uint16Array(0) });
  });

  test("with more values in a column than two bytes count", () => {
    const data = Float64Array.from({ length: 2 * 70_000 }, (_, c) => (c % 2 ? c % 5 : c / 3));
    const made = packed(matrix(70_000, 2, data));
    expect(data.every((v, c) => cellOf(made, c >> 1, c & 1) === v)).toBe(true);
  });

  test("the law refuses one whose second column begins at the end of the values of the first", () =>
    refuses(() =>
      law((table) => {
        const made = packed(table);
        return { ...made, start: made.start.map((from, k) => from - Number(k > 0)) };
      }),
    ));
});

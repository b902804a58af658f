import fc from "fast-check";
import { expect, test } from "vitest";
import { orderOf } from "../../src/num/order.ts";

const ODD = [0, -0, 5e-324, -5e-324, 1, 1 + Number.EPSILON, -1, -1 - Number.EPSILON, 1e300, -1e300];

function sortsStably(order: (values: Float64Array) => Int32Array): void {
  const cell = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(...ODD));
  const lists = fc.array(cell, { maxLength: 300 });
  fc.assert(
    fc.property(lists, (list) => {
      const values = Float64Array.from(list);
      const given = values.slice();
      const ways = [...values.keys()].sort((a, b) =>
        values[a]! < values[b]! ? -1 : values[a]! > values[b]! ? 1 : a - b,
      );
      expect([...order(values)]).toEqual(ways);
      expect(values).toEqual(given);
    }),
    { numRuns: process.env["COLA_SOAK"] ? 10_000 : 500 },
  );
}

test("numbers are put in order, equal ones and numbers a last bit apart as they came; the reverse is not", () => {
  sortsStably(orderOf);
  expect(() => sortsStably((values) => orderOf(values).reverse())).toThrow();
});

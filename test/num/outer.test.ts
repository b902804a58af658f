import fc from "fast-check";
import { expect, test } from "vitest";
import { addOuter } from "../../src/num/linalg.ts";
import { type OuterSum, outerSum } from "../../src/num/outer.ts";
import { stream } from "../../src/num/random.ts";

type Make = (out: Float64Array, p: number) => OuterSum;

function isRowAfterRow(make: Make): void {
  const cases = fc.record({
    seed: fc.nat(1e6),
    rows: fc.nat(23),
    p: fc.integer({ min: 1, max: 9 }),
    zeros: fc.constantFrom(0, 0.1, 0.45, 0.9),
  });
  fc.assert(
    fc.property(cases, ({ seed, rows, p, zeros }) => {
      const random = stream(seed, "outer");
      const [one, all] = [new Float64Array(p * p), new Float64Array(p * p)];
      const sum = make(all, p);
      for (let i = 0; i < rows; i++) {
        const cell = () => (random.next() < zeros ? 0 : random.normal() * 10 ** random.int(9));
        const z = Float64Array.from({ length: p }, cell);
        const factor = random.next();
        addOuter(one, p, 0, 0, z, factor);
        sum.add(z, factor);
      }
      sum.end();
      expect(all).toEqual(one);
    }),
    { numRuns: process.env["COLA_SOAK"] ? 10_000 : 500 },
  );
}

test("products of rows add up to the bits of row after row; a sum from the last row on does not", () => {
  isRowAfterRow(outerSum);
  const backwards: Make = (out, p) => {
    const rows: [Float64Array, number][] = [];
    return {
      add: (z, factor) => rows.unshift([z, factor]),
      end() {
        for (const [z, factor] of rows) addOuter(out, p, 0, 0, z, factor);
      },
    };
  };
  expect(() => isRowAfterRow(backwards)).toThrow();
});

import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { addOuter } from "../../src/num/linalg.ts";
import { type OuterSum, outerSum } from "../../src/num/outer.ts";
import { stream } from "../../src/num/random.ts";
import { OUTER_CODE } from "../../src/num/wasm/outer.ts";
import { allowKernels, startKernel } from "../../src/num/wasm.ts";

const SOAK = process.env["COLA_SOAK"];

afterEach(() => allowKernels(true));

type Make = (p: number) => OuterSum;

const ODD = [0, -0, 5e-324, -1e-310, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];

/** Zeros are passed over row after row: what is 0 · ∞ otherwise can be told from what was before only where none is odd. */
function isRowAfterRow(make: Make): void {
  const cases = fc.record({
    seed: fc.nat(1e6),
    rows: fc.nat(150),
    p: fc.integer({ min: 1, max: 12 }),
    zeros: fc.constantFrom(0, 0.1, 0.45, 0.9),
  });
  fc.assert(
    fc.property(cases, ({ seed, rows, p, zeros }) => {
      const random = stream(seed, "outer");
      const [one, all] = [new Float64Array(p * p).fill(3), new Float64Array(p * p).fill(3)];
      const sum = make(p);
      // A sum that is begun again knows nothing of what it added before.
      sum.begin(new Float64Array(p * p));
      for (let t = 0; t < seed % 7; t++) sum.add(new Float64Array(p), 0, 2);
      sum.end();
      sum.begin(all);
      for (let i = 0; i < rows; i++) {
        const cell = () => (random.next() < zeros ? 0 : random.normal() * 10 ** random.int(9));
        const row = Float64Array.from({ length: p + 1 }, cell);
        const factor = random.next();
        addOuter(one, p, 0, 0, Float64Array.of(...row.slice(2), 1), factor);
        sum.add(row, 2, factor);
      }
      sum.end();
      expect(all).toEqual(one);
    }),
    { numRuns: SOAK ? 10_000 : 500 },
  );
}

/** Any cells at all, odd ones included: the kernel gives the bits of its twin. */
function equalsItsTwin(make: Make): void {
  const cases = fc.record({ seed: fc.nat(1e6), rows: fc.nat(150), p: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(cases, ({ seed, rows, p }) => {
      const added = (sum: OuterSum): Float64Array => {
        const random = stream(seed, "outer", "odd");
        const out = Float64Array.from({ length: p * p }, () => random.normal());
        const cell = (): number => (random.next() < 0.02 ? ODD[random.int(ODD.length)]! : random.normal());
        sum.begin(out);
        for (let i = 0; i < rows; i++) sum.add(Float64Array.from({ length: p - 1 }, cell), 0, cell());
        sum.end();
        return out;
      };
      const kernel = added(make(p));
      allowKernels(false);
      const plain = added(outerSum(p));
      allowKernels(true);
      expect(kernel).toEqual(plain);
    }),
    { numRuns: SOAK ? 10_000 : 500 },
  );
}

/** Adds the rows from the last on. */
const backwards: Make = (p) => {
  const sum = outerSum(p);
  const rows: Parameters<OuterSum["add"]>[] = [];
  return {
    begin: sum.begin,
    add: (...row) => rows.unshift(row),
    end() {
      for (const row of rows.splice(0)) sum.add(...row);
      sum.end();
    },
  };
};

test("products of rows add up to the bits of row after row; a sum from the last row on does not", () => {
  isRowAfterRow(outerSum);
  expect(() => isRowAfterRow(backwards)).toThrow();
});

test("the kernel adds what its plain twin adds; one that takes the rows backwards does not", (context) => {
  if (!startKernel(OUTER_CODE, 0)) return context.skip("no WebAssembly");
  equalsItsTwin(outerSum);
  expect(() => equalsItsTwin(backwards)).toThrow();
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { nearPoints, transportByKernel } from "../../src/couple/point-reader.ts";
import { lowest } from "../../src/couple/prices.ts";
import { type CostRows, readPointsBy, rowsOf } from "../../src/couple/problem.ts";
import { ShortLists } from "../../src/couple/short-list.ts";
import { transport } from "../../src/couple/transport.ts";
import { matrix } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { NEAR_CODE } from "../../src/num/wasm/near.ts";
import { startKernel } from "../../src/num/wasm.ts";
import type { Matrix } from "../../src/types.ts";

const SOAK = process.env["COLA_SOAK"];
/** What 10,000 cases take on a busy machine. */
const LONG_MS = SOAK ? 3_600_000 : 120_000;

describe("columns near a row", () => {
  /** Prices of no use: columns nobody wants, far beyond float32, next to nothing. */
  const ODD_PRICES = [Infinity, 1e300, -1e300, -1e38, 5e-324, -1e-45, -0];

  const cases = fc.record({
    seed: fc.nat(1e6),
    rows: fc.integer({ min: 8, max: 60 }),
    cols: fc.integer({ min: 1, max: 300 }),
    depth: fc.integer({ min: 1, max: 9 }),
    size: fc.integer({ min: 1, max: 20 }),
    whole: fc.boolean(),
    odd: fc.boolean(),
    /** As powers of ten: float32 can tell nothing at either end. */
    scale: fc.constantFrom(0, 0, 0, -30, -160, 12, 100),
    bytes: fc.constantFrom(0, 2 ** 24),
  });

  const draw = (random: Random, rows: number, cols: number, whole: boolean, scale: number): Matrix =>
    matrix(
      rows,
      cols,
      Float64Array.from(
        { length: rows * cols },
        () => (whole ? random.int(4) : random.normal()) * 10 ** scale,
      ),
    );

  /** What short lists under falling prices and full reads come to, as often as asked. */
  function readings(costs: CostRows, seed: number, size: number, odd: boolean): unknown[] {
    const random = stream(seed, "prices");
    const v = new Float64Array(costs.m);
    const lists = new ShortLists(costs, costs.n, v, size);
    const told: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < costs.n; i += 3) {
        lists.scan(i);
        const limit = lists.limit[i]!;
        const near = lists.reader.near(i, limit);
        const below = Array.from(lists.reader.cols.subarray(0, near), (j, t) => [
          j,
          lists.reader.costs[t]! - v[j]!,
        ]);
        told.push(
          lowest(lists.reader, i, v),
          below.filter(([, w]) => w! < limit),
        );
      }
      told.push(lists.cols.slice(), lists.costs.slice(), lists.limit.slice());
      const scale = Math.abs(costs.cell(0, 0));
      for (let j = 0; j < costs.m; j += 2) {
        v[j]! -= odd && j % 10 === 0 ? ODD_PRICES[random.int(ODD_PRICES.length)]! : random.next() * scale;
        if (round === 0) lists.reader.priced(j);
      }
      lists.reader.priced();
    }
    return told;
  }

  type Make = (x: Matrix, s: Matrix, bytes: number) => CostRows;
  const real: Make = (x, s, bytes) => {
    const enough = Math.max(x.rows, Math.ceil(2 ** 14 / s.rows));
    const more = matrix(enough, x.cols, new Float64Array(enough * x.cols));
    more.data.set(x.data);
    return { ...nearPoints(more, s, bytes)!, n: x.rows };
  };

  function equalsItsTwin(make: Make): void {
    fc.assert(
      fc.property(cases, ({ seed, rows, cols, depth, size, whole, odd, scale, bytes }) => {
        const random = stream(seed, "near");
        const x = draw(random, rows, depth, whole, scale);
        const s = draw(random, cols, depth, whole, scale);
        const plain = rowsOf(rows, cols, squaredEuclidean(x, s).dense().data, (i) => i * cols);
        expect(readings(make(x, s, bytes), seed, size, odd)).toEqual(readings(plain, seed, size, odd));
      }),
      { numRuns: SOAK ? 10_000 : 150 },
    );
  }

  test(
    "short lists, full reads and least prices are those of the plain twin",
    (context) => {
      if (!startKernel(NEAR_CODE, 0)) return context.skip("no WebAssembly");
      equalsItsTwin(real);
      const lastLost: Make = (x, s, bytes) => {
        const made = real(x, s, bytes);
        const under: CostRows["under"] = (v) => {
          const reader = made.under(v);
          return {
            ...reader,
            cols: reader.cols,
            costs: reader.costs,
            priced: (j) => reader.priced(j),
            near: (...asked) => Math.max(1, reader.near(...asked) - 1),
          };
        };
        return { ...made, under };
      };
      expect(() => equalsItsTwin(lastLost)).toThrow();
    },
    LONG_MS,
  );

  test("whole plans are the same to the bit: even, weighted, rectangular, with ties, with rows of no weight", async () => {
    const random = stream(9, "plans");
    for (const [n, m, whole] of [
      [200, 200, false],
      [150, 220, false],
      [300, 160, true],
      [180, 180, true],
    ] as const) {
      const [x, r] = [draw(random, n, 4, whole, 0), draw(random, m, 4, whole, 0)];
      const idle = Float64Array.from({ length: n }, (_, i) => (i < 5 ? 0 : 1 / (n - 5)));
      for (const options of [{}, { a: idle }]) {
        transportByKernel();
        const fast = await transport(squaredEuclidean(x, r), options);
        readPointsBy(() => undefined);
        expect(fast).toEqual(await transport(squaredEuclidean(x, r), options));
      }
    }
  });
});

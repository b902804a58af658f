import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { kernelFiles } from "../../scripts/kernels.ts";
import { startWork } from "../../src/budget.ts";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { nearPoints, transportByKernel } from "../../src/couple/point-reader.ts";
import { lowest } from "../../src/couple/prices.ts";
import { type CostRows, readPointsBy, rowsOf } from "../../src/couple/problem.ts";
import { ShortLists } from "../../src/couple/short-list.ts";
import { transport } from "../../src/couple/transport.ts";
import { predictTrees } from "../../src/model/trees/predict.ts";
import { matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import { type Neighbours, neighbours } from "../../src/num/neighbours.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { NEAR_CODE } from "../../src/num/wasm/near.ts";
import { allowKernels, startKernel } from "../../src/num/wasm.ts";
import type { Matrix, Trees } from "../../src/types.ts";
import { wildForest, wildRows } from "../support/forests.ts";

const RUNS = process.env["COLA_SOAK"] ? 10_000 : 150;

afterEach(() => allowKernels(true));

/** What `work` gives without the kernels. */
function plainly<T>(work: () => T): T {
  allowKernels(false);
  const made = work();
  allowKernels(true);
  return made;
}

test("the embedded code is what the sources compile to", async () => {
  for (const [path, text] of await kernelFiles()) expect(readFileSync(path, "utf8")).toBe(text);
}, 120_000);

/** Numbers beyond float32, zeros of both signs, denormals and infinities. */
const ODD = [
  ...[0, -0, 1e-45, -1e-45, 5e-324, 1e300, -1e300, Number.MAX_VALUE, Infinity, -Infinity],
  ...[0.1, 1 / 3],
];

describe("the walk of trees", () => {
  const cases = fc.record({
    seed: fc.nat(1e6),
    rows: fc.integer({ min: 1, max: 300 }),
    cols: fc.integer({ min: 1, max: 9 }),
    odd: fc.boolean(),
    tame: fc.boolean(),
  });

  function equalsItsTwin(walk: (trees: Trees, rows: Matrix) => Float64Array): void {
    fc.assert(
      fc.property(cases, ({ seed, rows, cols, odd, tame }) => {
        const make = (): Trees => {
          const trees = wildForest(seed, { cols, tame });
          const flags = trees.flags.map((own) => own & 1);
          const threshold = odd
            ? trees.threshold.map((t, v) => (v % 2 ? ODD[v % ODD.length]! : t))
            : trees.threshold;
          return { ...trees, flags, threshold };
        };
        const given = wildRows(seed + 1, rows, cols);
        const data = odd ? given.data.map((z, c) => (c % 3 ? z : ODD[c % ODD.length]!)) : given.data;
        const table = { ...given, data };
        const plain = plainly(() => predictTrees(make(), table));
        expect(walk(make(), table)).toEqual(plain);
      }),
      { numRuns: RUNS },
    );
  }

  test("gives the bits of its plain twin", () => {
    equalsItsTwin(predictTrees);
    const oneRowOff = (trees: Trees, rows: Matrix): Float64Array =>
      predictTrees(
        trees,
        takeRows(
          rows,
          [...Array(rows.rows).keys()].map((i) => Math.max(0, i - 1)),
        ),
      );
    expect(() => equalsItsTwin(oneRowOff)).toThrow();
  });

  test("a row's margin does not depend on how many rows are asked about", () => {
    const trees = wildForest(4, { cols: 5, tame: true });
    const rows = wildRows(5, 777, 5);
    const all = predictTrees(trees, rows);
    for (const i of [0, 7, 8, 255, 256, 776])
      expect(predictTrees(trees, takeRows(rows, [i]))[0]).toBe(all[i]);
  });

  test("trees of more nodes than float32 forests can number are walked plainly", () => {
    const depth = 40_000;
    const nodes = 2 * depth + 1;
    const last = nodes - 1;
    const chain: Trees = {
      ...wildForest(1, { cols: 1, tame: true }),
      roots: Int32Array.of(0),
      feature: Int32Array.from({ length: nodes }, (_, v) => (v % 2 === 0 && v < last ? 0 : -1)),
      threshold: Float64Array.from({ length: nodes }, (_, v) => v),
      left: Int32Array.from({ length: nodes }, (_, v) => v + 1),
      right: Int32Array.from({ length: nodes }, (_, v) => v + 2),
      value: Float64Array.from({ length: nodes }, (_, v) => v),
      flags: new Uint8Array(nodes),
      inclusive: true,
      float32: true,
      base: 0,
    };
    const rows = matrix(
      64,
      1,
      Float64Array.from({ length: 64 }, (_, i) => 1000 * i),
    );
    expect(predictTrees(chain, rows)[1]).toBe(1001);
  });
});

describe("the scan of neighbours", () => {
  const cases = fc.record({
    seed: fc.nat(1e6),
    rows: fc.integer({ min: 512, max: 2200 }),
    cols: fc.integer({ min: 1, max: 21 }),
    count: fc.integer({ min: 0, max: 40 }),
    /** Cells of few values make ties; levels count 0 or 1; some are missing. */
    whole: fc.boolean(),
    /** How many cells are odd numbers; infinities and denormals are beside each other where most are. */
    odd: fc.constantFrom(0, 0.01, 0.5, 1),
  });

  interface Drawn {
    readonly rows: number;
    readonly cols: number;
    readonly whole: boolean;
    readonly odd: number;
  }

  const draw = (seed: number, { rows, cols, whole, odd }: Drawn, mismatch: Uint8Array): Matrix => {
    const random = stream(seed, "points");
    const cell = (k: number): number => {
      if (random.next() < 0.05) return Number.NaN;
      if (random.next() < odd) return ODD[random.int(ODD.length)]!;
      return mismatch[k] || whole ? random.int(6) : random.normal() * 10 ** (k % 4);
    };
    const data = Float64Array.from({ length: rows * cols }, (_, c) => cell(c % cols));
    return { data, rows, cols };
  };

  type Search = (points: Matrix, mismatch: Uint8Array) => Promise<Neighbours>;
  const real: Search = (points, mismatch) => neighbours(points, startWork("test"), mismatch);

  const equalsItsTwin = (search: Search): Promise<void> =>
    fc.assert(
      fc.asyncProperty(cases, async (drawn) => {
        const { seed, cols, count } = drawn;
        const mismatch = Uint8Array.from({ length: cols }, (_, k) => Number((seed + k) % 3 === 0));
        const points = draw(seed, drawn, mismatch);
        const queries = draw(seed + 1, { ...drawn, rows: 3 }, mismatch);
        allowKernels(false);
        const plain = await real(points, mismatch);
        allowKernels(true);
        const kernel = await search(points, mismatch);
        for (const q of [rowOf(points, 5), ...[0, 1, 2].map((i) => rowOf(queries, i))]) {
          expect(kernel.nearest(q, count)).toEqual(plain.nearest(q, count));
        }
      }),
      { numRuns: process.env["COLA_SOAK"] ? 10_000 : 60 },
    );

  test("gives the rows and distances of its plain twin", async () => {
    await equalsItsTwin(real);
    const lastLost: Search = (points, mismatch) =>
      real(takeRows(points, [...Array(points.rows - 1).keys()]), mismatch);
    await expect(equalsItsTwin(lastLost)).rejects.toThrow();
  });
});

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
      { numRuns: RUNS },
    );
  }

  test("short lists, full reads and least prices are those of the plain twin", (context) => {
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
  });

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

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { kernelFiles } from "../../scripts/kernels.ts";
import { startWork } from "../../src/budget.ts";
import { predictTrees } from "../../src/model/trees/predict.ts";
import { kernelWalk } from "../../src/model/trees/walk-kernel.ts";
import { matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import { type Neighbours, neighbours } from "../../src/num/neighbours.ts";
import { stream } from "../../src/num/random.ts";
import { SCAN_CODE } from "../../src/num/wasm/scan.ts";
import { WALK_CODE } from "../../src/num/wasm/walk.ts";
import { allowKernels, startKernel } from "../../src/num/wasm.ts";
import type { Matrix, Trees } from "../../src/types.ts";
import { wildForest, wildRows } from "../support/forests.ts";

const SOAK = process.env["COLA_SOAK"];
const RUNS = SOAK ? 10_000 : 150;
/** What 10,000 cases of the slowest kernel take on a busy machine. */
const LONG_MS = SOAK ? 3_600_000 : 120_000;

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
    // A forest is first met with as many rows as are worth the kernel; then any number is.
    rows: fc.integer({ min: 64, max: 300 }),
    more: fc.integer({ min: 8, max: 63 }),
    cols: fc.integer({ min: 1, max: 9 }),
    odd: fc.boolean(),
    tame: fc.boolean(),
  });

  function equalsItsTwin(walk: (trees: Trees, rows: Matrix) => Float64Array): void {
    fc.assert(
      fc.property(cases, ({ seed, rows, more, cols, odd, tame }) => {
        const make = (): Trees => {
          const trees = wildForest(seed, { cols, tame });
          const flags = trees.flags.map((own) => own & 1);
          const threshold = odd
            ? trees.threshold.map((t, v) => (v % 2 ? ODD[v % ODD.length]! : t))
            : trees.threshold;
          return { ...trees, flags, threshold };
        };
        const forest = make();
        for (const [count, drawn] of [
          [rows, seed + 1],
          [more, seed + 2],
        ] as const) {
          const given = wildRows(drawn, count, cols);
          const data = odd ? given.data.map((z, c) => (c % 3 ? z : ODD[c % ODD.length]!)) : given.data;
          const table = { ...given, data };
          const plain = plainly(() => predictTrees(make(), table));
          expect(walk(forest, table)).toEqual(plain);
          expect(kernelWalk(forest, table, new Float64Array(count))).toBe(count & ~7);
        }
      }),
      { numRuns: RUNS },
    );
  }

  test(
    "gives the bits of its plain twin",
    (context) => {
      if (!startKernel(WALK_CODE, 0)) return context.skip("no WebAssembly");
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
    },
    LONG_MS,
  );

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
    count: fc.integer({ min: 1, max: 40 }),
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
      { numRuns: SOAK ? RUNS : 60 },
    );

  test(
    "gives the rows and distances of its plain twin",
    async (context) => {
      if (!startKernel(SCAN_CODE, 0)) return context.skip("no WebAssembly");
      const drawn = { rows: 512, cols: 3, whole: true, odd: 0 };
      expect(
        (await real(draw(1, drawn, new Uint8Array(3)), new Uint8Array(3))).nearest([0, 1, 2], 0),
      ).toEqual({
        index: new Int32Array(0),
        distance: new Float64Array(0),
      });
      await equalsItsTwin(real);
      const lastLost: Search = (points, mismatch) =>
        real(takeRows(points, [...Array(points.rows - 1).keys()]), mismatch);
      await expect(equalsItsTwin(lastLost)).rejects.toThrow();
    },
    LONG_MS,
  );
});

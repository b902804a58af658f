import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { transport } from "../../src/couple/transport.ts";
import { fromRows, matrix, takeRows, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Coupling, Matrix } from "../../src/types.ts";
import { gaussian, weights } from "../support/couple.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";
import { type TransportLaw, type TransportSolver, transportMutants } from "../support/mutants/transport.ts";
import { refuses } from "../support/refuses.ts";

/** Points of several kinds: continuous, on a coarse grid (ties and duplicates), in clusters, on a line. */
type Kind = "normal" | "grid" | "clusters" | "line";

function points(kind: Kind, n: number, seed: number, side: string): Matrix {
  const source = stream(seed, kind, side);
  const d = kind === "line" ? 1 : 3;
  const cell: Record<Kind, (i: number) => number> = {
    normal: () => source.normal(),
    grid: () => source.int(3),
    clusters: () => 10 * source.int(4) + 0.1 * source.normal(),
    line: () => Math.round(4 * source.normal()) / 4 + 1e-7 * source.int(2) * source.normal(),
  };
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, (_, at) => cell[kind](at)),
  );
}

const even = (size: number): Float64Array => new Float64Array(size).fill(1 / size);

/** Weights with zeros among them, over a small denominator or none. */
function someWeights(n: number, seed: number, rational: boolean): Float64Array {
  const source = stream(seed, "weights", n);
  const raw = Float64Array.from({ length: n }, (_, i) => {
    const w = rational ? source.int(4) : source.exponential();
    return i === 0 ? w + 1 : source.int(5) === 0 ? 0 : w;
  });
  const sum = raw.reduce((s, w) => s + w, 0);
  return raw.map((w) => w / sum);
}

const kinds = fc.constantFrom<Kind>("normal", "grid", "clusters", "line");
const sizes = fc.oneof(
  {
    arbitrary: fc.record({ n: fc.integer({ min: 1, max: 60 }), m: fc.integer({ min: 1, max: 60 }) }),
    weight: 3,
  },
  fc.record({ n: fc.integer({ min: 1, max: 12 }), m: fc.integer({ min: 100, max: 400 }) }),
  fc.integer({ min: 20, max: 90 }).map((n) => ({ n, m: n })),
);
const problems = fc.record({
  kind: kinds,
  size: sizes,
  seed: fc.nat(1e6),
  weighted: fc.constantFrom("even", "rational", "real"),
});
type Draw = typeof problems extends fc.Arbitrary<infer T> ? T : never;

function instance({ kind, size: { n, m }, seed, weighted }: Draw) {
  const x = points(kind, n, seed, "x");
  const r = points(kind, m, seed, "r");
  const options =
    weighted === "even"
      ? {}
      : {
          a: someWeights(n, seed, weighted === "rational"),
          b: someWeights(m, seed + 1, weighted === "rational"),
        };
  return { x, r, cost: squaredEuclidean(x, r), options };
}

/** Sums by index, with the rounding of each addition carried along: what is wrong is wrong in the values. */
function sums(values: ArrayLike<number>, at: Int32Array, size: number): Float64Array {
  const out = new Float64Array(size);
  const lost = new Float64Array(size);
  at.forEach((k, e) => {
    const before = out[k]!;
    const added = values[e]! - lost[k]!;
    out[k] = before + added;
    lost[k] = out[k]! - before - added;
  });
  return out;
}

function expectClose(actual: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number): void {
  Array.from(actual).forEach((v, k) => {
    expect(Math.abs(v - wanted[k]!)).toBeLessThanOrEqual(tolerance);
  });
}

/** Σ_j p_ij = a_i and Σ_i p_ij = b_j: to the last bit in units where weights are rational, else to 1e-15. */
async function marginals(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(problems, async (draw) => {
      const { cost, options } = instance(draw);
      const p = await solve(cost, options);
      const a = options.a ?? even(draw.size.n);
      const b = options.b ?? even(draw.size.m);
      expectClose(sums(p.mass, p.rows, p.n), a, 2e-15);
      expectClose(sums(p.mass, p.cols, p.m), b, 2e-15);
      expect(p.mass.every((v) => v > 0)).toBe(true);
      if (draw.weighted !== "real") {
        const total = p.total!;
        expect(Array.from(sums(p.units!, p.rows, p.n))).toEqual(Array.from(a, (w) => Math.round(w * total)));
        expect(Array.from(sums(p.units!, p.cols, p.m))).toEqual(Array.from(b, (w) => Math.round(w * total)));
        expect(Array.from(p.mass)).toEqual(Array.from(p.units!, (f) => f / total));
      }
    }),
    { numRuns: 80 },
  );
}

/** Uniform weights and n = m: every row has one column and every column one row, duplicates included. */
async function permutation(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 1, max: 50 }), fc.nat(1e6), async (kind, n, seed) => {
      const p = await solve(squaredEuclidean(points(kind, n, seed, "x"), points(kind, n, seed, "r")));
      expect(Array.from(p.rows)).toEqual(Array.from({ length: n }, (_, i) => i));
      expect(Array.from(p.cols).sort((i, k) => i - k)).toEqual(Array.from({ length: n }, (_, i) => i));
      expect(p.mass.every((v) => v === 1 / n)).toBe(true);
    }),
    { numRuns: 60 },
  );
}

/** u_i + v_j ≤ c_ij for all pairs; cost = Σ p c; Σ a u + Σ b v = cost − gap; and the gap is none: strong duality. */
function expectDual(p: Coupling, c: Matrix, a: ArrayLike<number>, b: ArrayLike<number>): void {
  const { u, v } = p.dual!;
  const scale = c.data.reduce((most, w) => Math.max(most, Math.abs(w)), 0);
  const over = c.data.map((w, at) => u[Math.floor(at / p.m)]! + v[at % p.m]! - w);
  expect(over.reduce((most, w) => Math.max(most, w), 0)).toBeLessThanOrEqual(1e-12 * scale);
  const primal = p.mass.reduce((sum, w, e) => sum + w * c.data[p.rows[e]! * p.m + p.cols[e]!]!, 0);
  const dual = u.reduce((sum, w, i) => sum + w * a[i]!, 0) + v.reduce((sum, w, j) => sum + w * b[j]!, 0);
  expect(Math.abs(primal - p.cost)).toBeLessThanOrEqual(1e-12 * scale);
  expect(Math.abs(primal - dual - p.gap)).toBeLessThanOrEqual(1e-12 * scale);
  expect(p.gap).toBeLessThanOrEqual(1e-12 * scale);
  expect(p.gap).toBeGreaterThanOrEqual(0);
  expect(p.converged).toBe(true);
}

async function duality(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(problems, fc.boolean(), async (draw, dense) => {
      const { cost, options } = instance(draw);
      const c = cost.dense();
      const p = await solve(dense ? c : cost, options);
      const a = options.a ?? even(draw.size.n);
      const b = options.b ?? even(draw.size.m);
      expectDual(p, c, a, b);
    }),
    { numRuns: 120 },
  );
}

function cheapestPermutation(c: Matrix): number {
  const used = new Uint8Array(c.cols);
  const search = (i: number): number => {
    if (i === c.rows) return 0;
    let best = Number.POSITIVE_INFINITY;
    for (let j = 0; j < c.cols; j++) {
      if (used[j]) continue;
      used[j] = 1;
      best = Math.min(best, c.data[i * c.cols + j]! + search(i + 1));
      used[j] = 0;
    }
    return best;
  };
  return search(0) / c.rows;
}

/** n = m ≤ 7 uniform: Σ p c is the least over all permutations. */
async function optimal(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.integer({ min: 1, max: 7 }),
      fc.nat(1e6),
      fc.boolean(),
      async (kind, n, seed, dense) => {
        const cost = squaredEuclidean(points(kind, n, seed, "x"), points(kind, n, seed, "r"));
        const c = cost.dense();
        const p = await solve(dense ? c : cost);
        const paid = p.mass.reduce((sum, w, e) => sum + w * c.data[p.rows[e]! * n + p.cols[e]!]!, 0);
        const best = cheapestPermutation(c);
        expect(Math.abs(paid - best)).toBeLessThanOrEqual(1e-12 * (1 + best));
      },
    ),
    { numRuns: 60 },
  );
}

/** The plan between contents: mass by (row content, column content), so that equal rows are interchangeable. */
function byContent(p: Coupling, x: Matrix, r: Matrix): Map<string, number> {
  const rows = toRows(x).map((row) => row.join());
  const cols = toRows(r).map((row) => row.join());
  const out = new Map<string, number>();
  p.rows.forEach((i, e) => {
    const key = `${rows[i]} to ${cols[p.cols[e]!]}`;
    out.set(key, (out.get(key) ?? 0) + p.units![e]!);
  });
  return new Map([...out].sort());
}

/** Permuting rows and columns permutes plan and duals bit by bit, ties (grid points) included. */
async function equivariant(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.integer({ min: 2, max: 40 }),
      fc.integer({ min: 2, max: 40 }),
      fc.nat(1e6),
      async (kind, n, m, seed) => {
        const x = points(kind, n, seed, "x");
        const r = points(kind, seed % 2 === 0 ? n : m, seed, "r");
        const rowOrder = stream(seed, "rows").permutation(x.rows);
        const colOrder = stream(seed, "cols").permutation(r.rows);
        const [y, s] = [takeRows(x, rowOrder), takeRows(r, colOrder)];
        const p = await solve(squaredEuclidean(x, r));
        const q = await solve(squaredEuclidean(y, s));
        expect(byContent(q, y, s)).toEqual(byContent(p, x, r));
        expect(q.cost).toBe(p.cost);
        expect(Array.from(q.dual!.u)).toEqual(Array.from(rowOrder, (i) => p.dual!.u[i]!));
        expect(Array.from(q.dual!.v)).toEqual(Array.from(colOrder, (j) => p.dual!.v[j]!));
      },
    ),
    { numRuns: 60 },
  );
}

/** A basic solution: at most n + m − 1 cells. */
async function sparse(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(problems, async (draw) => {
      const { cost, options } = instance(draw);
      const p = await solve(cost, options);
      expect(p.mass.length).toBeLessThanOrEqual(draw.size.n + draw.size.m - 1);
    }),
    { numRuns: 60 },
  );
}

/** Points t·x and t·r cost t² times as much, and no more, from t = 1e-12 to 1e12. */
async function scaled(solve: TransportSolver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(problems, fc.integer({ min: -12, max: 12 }), async (draw, power) => {
      const { x, r, cost, options } = instance(draw);
      const t = 10 ** power;
      const times = (m: Matrix): Matrix =>
        matrix(
          m.rows,
          m.cols,
          m.data.map((v) => v * t),
        );
      const p = await solve(cost, options);
      const q = await solve(squaredEuclidean(times(x), times(r)), options);
      expect(Math.abs(q.cost / t ** 2 - p.cost)).toBeLessThanOrEqual(1e-12 * (p.cost + 1e-3));
    }),
    { numRuns: 60 },
  );
}

const laws: Record<TransportLaw, (solve: TransportSolver) => Promise<void>> = {
  marginals,
  permutation,
  duality,
  optimal,
  equivariant,
  sparse,
  scaled,
};

describe("the laws of transport", () => {
  test.each(Object.entries(laws))("%s", async (_, law) => {
    await law(transport);
  });

  test.each(Object.entries(transportMutants))("%s is refused", async (_, { law, solve }) => {
    await refuses(() => laws[law](solve));
  });
});

interface EmdCase {
  readonly name: string;
  readonly n: number;
  readonly m: number;
  readonly x: number[][];
  readonly r: number[][];
  readonly a: number[];
  readonly b: number[];
  readonly value: number;
  readonly plan_nonzeros: [number, number, number][];
  readonly unique: boolean;
}

describe("transport against POT's emd", () => {
  test.skipIf(!hasFixture("ot_emd.json"))("values and unique plans (needs ot_emd.json)", async () => {
    const { cases, tolerance } = fixture<{
      cases: EmdCase[];
      tolerance: { value_rel: number; plan_abs: number };
    }>("ot_emd.json");
    for (const { x, r, a, b, value, plan_nonzeros: plan, unique, n, m } of cases) {
      const cost = squaredEuclidean(fromRows(x), fromRows(r));
      for (const given of [cost, cost.dense()]) {
        const p = await transport(given, { a, b });
        expect(Math.abs(p.cost - value)).toBeLessThanOrEqual(tolerance.value_rel * value);
        expectDual(p, cost.dense(), a, b);
        if (!unique) continue;
        const wanted = new Float64Array(n * m);
        for (const [i, j, mass] of plan) wanted[i * m + j] = mass;
        const got = new Float64Array(n * m);
        p.mass.forEach((mass, e) => {
          got[p.rows[e]! * m + p.cols[e]!] = mass;
        });
        expectClose(got, wanted, tolerance.plan_abs);
      }
    }
    expect(cases.length).toBeGreaterThan(0);
  });
});

describe("transport in special cases", () => {
  test.each([
    ["one row", 1, 3000],
    ["one column", 3000, 1],
    ["few rows", 5, 960],
    ["one pair", 1, 1],
  ])("%s", async (_, n, m) => {
    const cost = squaredEuclidean(gaussian(n, 3, 1, "x"), gaussian(m, 3, 1, "r"));
    const p = await transport(cost);
    expect(Array.from(sums(p.units!, p.rows, n))).toEqual(Array(n).fill(p.total! / n));
    expect(Array.from(sums(p.units!, p.cols, m))).toEqual(Array(m).fill(p.total! / m));
    expectDual(p, cost.dense(), even(n), even(m));
  });

  test("all costs zero", async () => {
    for (const [n, m] of [
      [40, 40],
      [40, 30],
    ] as const) {
      const p = await transport(matrix(n, m));
      expect(p.cost).toBe(0);
      expectDual(p, matrix(n, m), even(n), even(m));
    }
  });

  test("costs that run from 1e-12 to 1e12 in one matrix keep the small ones apart", async () => {
    const source = stream(5, "range");
    for (const [n, m] of [
      [50, 50],
      [50, 35],
    ] as const) {
      const c = matrix(
        n,
        m,
        Float64Array.from({ length: n * m }, () => 10 ** (24 * source.next() - 12)),
      );
      const clipped = matrix(
        n,
        m,
        c.data.map((w) => Math.min(w, 1)),
      );
      const p = await transport(c);
      const q = await transport(clipped);
      expectDual(q, clipped, even(n), even(m));
      expect(q.cost).toBeLessThan(1e-3);
      expect(Math.abs(p.cost - q.cost)).toBeLessThanOrEqual(1e-9 * q.cost);
      expect(p.gap).toBeLessThanOrEqual(1e-9 * p.cost);
    }
  });

  test("many more rows than columns: prices of some rows are a start, the plan is that of all", async () => {
    for (const kind of ["normal", "grid", "clusters"] as const) {
      for (const weighted of ["even", "rational", "real"] as const) {
        const { cost, options } = instance({ kind, size: { n: 1500, m: 20 }, seed: 7, weighted });
        for (const given of [cost, cost.dense()]) {
          const p = await transport(given, options);
          expectDual(p, cost.dense(), options.a ?? even(1500), options.b ?? even(20));
        }
      }
    }
  });

  test("negative costs, and costs near the largest number", async () => {
    const source = stream(6, "negative");
    const c = matrix(
      30,
      30,
      Float64Array.from({ length: 900 }, () => 1e300 * source.normal()),
    );
    expectDual(await transport(c), c, even(30), even(30));
  });

  test("points far from the origin", async () => {
    const far = (m: Matrix): Matrix =>
      matrix(
        m.rows,
        m.cols,
        m.data.map((v) => v + 2 ** 27),
      );
    const x = gaussian(40, 3, 2, "x");
    const r = gaussian(40, 3, 2, "r");
    const p = await transport(squaredEuclidean(far(x), far(r)));
    const cost = squaredEuclidean(far(x), far(r)).dense();
    expectDual(p, cost, even(40), even(40));
  });

  test("rows of weight zero take no mass, and their duals are feasible and tight", async () => {
    const cost = squaredEuclidean(gaussian(6, 2, 3, "x"), gaussian(5, 2, 3, "r"));
    const a = [0.25, 0, 0.25, 0.25, 0, 0.25];
    const b = [0, 0.5, 0.25, 0.25, 0];
    const c = cost.dense();
    for (const given of [cost, c]) {
      const p = await transport(given, { a, b });
      expect(new Set(p.rows)).toEqual(new Set([0, 2, 3, 5]));
      expect(new Set(p.cols)).toEqual(new Set([1, 2, 3]));
      expectDual(p, c, a, b);
      for (const i of [1, 4]) {
        const slack = Math.min(...p.dual!.v.map((v, j) => c.data[i * 5 + j]! - v - p.dual!.u[i]!));
        expect(Math.abs(slack)).toBeLessThan(1e-12);
      }
    }
  });

  test("a weight below the grain keeps its row", async () => {
    const cost = squaredEuclidean(gaussian(3, 2, 4, "x"), gaussian(2, 2, 4, "r"));
    const p = await transport(cost, { a: [1e-30, 0.5, 0.5], b: [0.3, 0.7] });
    expectClose(sums(p.mass, p.rows, p.n), [1e-30, 0.5, 0.5], 1e-45);
    expectClose(sums(p.mass, p.cols, p.m), [0.3, 0.7], 1e-15);
    expect(p.units).toBeUndefined();
  });

  test("a line is the general problem with a column of zeros", async () => {
    await fc.assert(
      fc.asyncProperty(problems, async (draw) => {
        const { x, r, options } = instance({ ...draw, kind: "line" });
        const widened = (m: Matrix): Matrix => fromRows(toRows(m).map((row) => [...row, 0]));
        const p = await transport(squaredEuclidean(x, r), options);
        const q = await transport(squaredEuclidean(widened(x), widened(r)), options);
        expect(Math.abs(p.cost - q.cost)).toBeLessThanOrEqual(1e-12 * (1 + q.cost));
      }),
      { numRuns: 40 },
    );
  });

  test("a line of near ties has no negative gap", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const source = stream(seed, "near");
      const near = (n: number): Matrix =>
        matrix(
          n,
          1,
          Float64Array.from({ length: n }, () => source.int(2) + 1e-7 * source.normal()),
        );
      const [n, m] = [300, 50];
      const cost = squaredEuclidean(near(n), near(m));
      expectDual(await transport(cost), cost.dense(), even(n), even(m));
    }
  });

  test("without room for the matrix rows are computed anew, and not a bit changes", async () => {
    for (const m of [150, 130]) {
      const cost = squaredEuclidean(gaussian(150, 4, 7, "x"), gaussian(m, 4, 7, "r"));
      const p = await transport(cost);
      const q = await transport(cost, { limits: { bytes: 1e5 } });
      expect(q).toEqual(p);
      const dense = await transport(cost.dense());
      const lean = await transport(cost.dense(), { limits: { bytes: 1e5 } });
      expect(lean).toEqual(dense);
      expect(Math.abs(dense.cost - p.cost)).toBeLessThanOrEqual(1e-12 * p.cost);
    }
  });

  test("a matrix whose rows and columns are permuted gives the permuted plan", async () => {
    const n = 40;
    const c = squaredEuclidean(gaussian(n, 3, 8, "x"), gaussian(n, 3, 8, "r")).dense();
    const rowOrder = stream(8, "rows").permutation(n);
    const colOrder = stream(8, "cols").permutation(n);
    const moved = matrix(
      n,
      n,
      Float64Array.from(
        { length: n * n },
        (_, at) => c.data[rowOrder[Math.floor(at / n)]! * n + colOrder[at % n]!]!,
      ),
    );
    const p = await transport(c);
    const q = await transport(moved);
    expect(Array.from(q.cols, (j) => colOrder[j]!)).toEqual(Array.from(rowOrder, (i) => p.cols[i]!));
    expect(Array.from(q.dual!.u)).toEqual(Array.from(rowOrder, (i) => p.dual!.u[i]!));
  });

  test("the given weights come back, also where they are counts over n", async () => {
    const cost = squaredEuclidean(gaussian(7, 2, 9, "x"), gaussian(5, 2, 9, "r"));
    const a = [3, 1, 4, 1, 5, 9, 2].map((w) => w / 25);
    const p = await transport(cost, { a, b: [0.1, 0.2, 0.3, 0.15, 0.25] });
    expect(p.total).toBe(100);
    expect(Array.from(sums(p.units!, p.rows, 7))).toEqual([12, 4, 16, 4, 20, 36, 8]);
    expect(Array.from(sums(p.units!, p.cols, 5))).toEqual([10, 20, 30, 15, 25]);
    const q = await transport(cost, { a: weights(7, 1), b: weights(5, 2) });
    expect(q.units).toBeUndefined();
    expect(q.total).toBeUndefined();
  });
});

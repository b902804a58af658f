import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { toDense } from "../../src/couple/dense.ts";
import { type SinkhornOptions, sinkhorn } from "../../src/couple/sinkhorn.ts";
import { transport } from "../../src/couple/transport.ts";
import { fromRows, matrix, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Cost, Coupling, Matrix } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { colSums, farthest, gaussian, l1, mean, rowSums, weights } from "../support/couple.ts";
import { sinkhornMutants } from "../support/mutants/couple.ts";
import { refuses } from "../support/refuses.ts";

type Solver = (cost: Cost | Matrix, options: SinkhornOptions) => Promise<Coupling>;

interface Instance {
  readonly x: Matrix;
  readonly r: Matrix;
  readonly cost: Cost;
  readonly options: SinkhornOptions;
}

/** Shares of the mean cost for ε, from a blur to nearly exact. */
const SHARES = [1, 0.1, 0.02, 0.002] as const;

function instance(n: number, m: number, share: number, seed: number, even = false): Instance {
  const x = gaussian(n, 3, seed, "x");
  const r = gaussian(m, 3, seed, "r");
  const cost = squaredEuclidean(x, r);
  const epsilon = share * mean(cost.dense().data) + 1e-6;
  return {
    x,
    r,
    cost,
    options: even ? { epsilon } : { epsilon, a: weights(n, seed), b: weights(m, seed + 1) },
  };
}

const instances = fc
  .record({
    n: fc.integer({ min: 1, max: 14 }),
    m: fc.integer({ min: 1, max: 14 }),
    share: fc.constantFrom(...SHARES),
    seed: fc.nat(1e6),
  })
  .map(({ n, m, share, seed }) => instance(n, m, share, seed));

/** Σ_j P_ij = a_i, Σ_i P_ij = b_j within the tolerance. */
async function marginalsLaw(solve: Solver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(instances, async ({ cost, options }) => {
      const p = await solve(cost, options);
      expect(p.converged).toBe(true);
      expect(l1(rowSums(p), options.a!)).toBeLessThanOrEqual(1e-9);
      expect(l1(colSums(p), options.b!)).toBeLessThanOrEqual(1e-9);
    }),
    { numRuns: 60 },
  );
}

/** log P_ij + c_ij/ε = f_i + g_j: for any two kept rows and columns the mixed difference vanishes. */
async function stationaryLaw(solve: Solver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(instances, async ({ cost, options }) => {
      const p = await solve(cost, { ...options, tolerance: 1e-12 });
      const c = cost.dense().data;
      const mass = toDense(p).data;
      const level = (i: number, j: number): number =>
        Math.log(mass[i * p.m + j]!) + c[i * p.m + j]! / options.epsilon;
      for (let i = 1; i < p.n; i++) {
        for (let j = 1; j < p.m; j++) {
          const corners = [mass[0]!, mass[j]!, mass[i * p.m]!, mass[i * p.m + j]!];
          if (Math.min(...corners) < 1e-6) continue;
          expect(Math.abs(level(0, 0) + level(i, j) - level(0, j) - level(i, 0))).toBeLessThan(1e-5);
        }
      }
    }),
    { numRuns: 60 },
  );
}

/** The plan of s·C and s·ε, and of C plus constants on rows and columns, is the plan of C and ε. */
async function invarianceLaw(solve: Solver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(instances, async ({ cost, options }) => {
      const c = cost.dense();
      const moved = matrix(
        c.rows,
        c.cols,
        c.data.map((v, at) => 7 * v + 3 * Math.floor(at / c.cols) - 5 * (at % c.cols)),
      );
      const p = await solve(c, options);
      const q = await solve(moved, { ...options, epsilon: 7 * options.epsilon });
      expect(farthest(p, q)).toBeLessThan(1e-9);
    }),
    { numRuns: 30 },
  );
}

/** When the passes run out: converged false, never a number that is none, and still the right marginals. */
async function honestLaw(solve: Solver): Promise<void> {
  for (const maxIterations of [1, 2, 3, 5]) {
    const { cost, options } = instance(12, 9, 0.001, 3);
    const p = await solve(cost, { ...options, maxIterations });
    expect(p.converged).toBe(false);
    expect(p.iterations).toBeLessThanOrEqual(maxIterations);
    expect(p.gap).toBeGreaterThan(1e-6);
    expect(l1(rowSums(p), options.a!) + l1(colSums(p), options.b!)).toBeLessThan(1e-12);
    for (const v of [...p.mass, p.cost, p.gap]) expect(Number.isFinite(v)).toBe(true);
  }
}

/** gap = ⟨P, C⟩ + ε Σ P log(P/ab) − dual bounds the distance to the optimum of the entropic problem. */
async function gapLaw(solve: Solver): Promise<void> {
  const objective = (p: Coupling, { a, b, epsilon }: SinkhornOptions): number =>
    p.mass.reduce(
      (sum, mass, e) => sum + epsilon * mass * Math.log(mass / (a![p.rows[e]!]! * b![p.cols[e]!]!)),
      p.cost,
    );
  for (const share of SHARES) {
    const { cost, options } = instance(8, 11, share, 5);
    const best = objective(await sinkhorn(cost, { ...options, tolerance: 1e-13 }), options);
    for (const maxIterations of [2, 4, 8, 400]) {
      const p = await solve(cost, { ...options, maxIterations });
      expect(objective(p, options) - best).toBeLessThanOrEqual(p.gap + 1e-9);
      if (p.converged) expect(p.gap).toBeLessThan(1e-9);
    }
  }
}

/** ε → 0: 0 ≤ ⟨P_ε, C⟩ − ⟨P_OT, C⟩ ≤ ε log min(n, m), and ⟨P_ε, C⟩ rises with ε. */
async function limitLaw(solve: Solver): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 12 }),
      fc.integer({ min: 2, max: 12 }),
      fc.nat(1e6),
      async (n, m, seed) => {
        const { cost, options } = instance(n, m, 1, seed, true);
        const { cost: exact } = await transport(cost);
        let last = exact;
        for (const share of [1e-4, 1e-3, 1e-2, 1e-1, 1]) {
          const epsilon = share * options.epsilon;
          const p = await solve(cost, { epsilon });
          expect(p.cost).toBeGreaterThanOrEqual(last - 1e-8);
          expect(p.cost - exact).toBeLessThanOrEqual(epsilon * Math.log(Math.min(n, m)) + 1e-8);
          last = p.cost;
        }
      },
    ),
    { numRuns: 20 },
  );
}

const laws = { limitLaw, marginalsLaw, stationaryLaw, invarianceLaw, honestLaw, gapLaw };

describe("sinkhorn", () => {
  test.each(Object.keys(laws))("%s", async (law) => {
    await laws[law as keyof typeof laws](sinkhorn);
  });

  test.each(Object.entries(sinkhornMutants))("%s is refused", async (_, { law, solve }) => {
    await refuses(() => laws[law](solve));
  });

  test("large ε gives the independent plan a bᵀ", async () => {
    const { cost, options } = instance(5, 7, 1e7, 1);
    const p = await sinkhorn(cost, options);
    p.mass.forEach((mass, e) => {
      expect(mass).toBeCloseTo(options.a![p.rows[e]!]! * options.b![p.cols[e]!]!, 6);
    });
  });

  test.each([1e-3, 1e-4, 1e-5, 1e-6])("ε = %f of the mean cost converges", async (share) => {
    for (const d of [1, 2, 8]) {
      const cost = squaredEuclidean(gaussian(40, d, 1, "x"), gaussian(50, d, 2, "r"));
      const p = await sinkhorn(cost, { epsilon: share * mean(cost.dense().data) });
      expect(p.converged).toBe(true);
      expect(l1(colSums(p), new Float64Array(50).fill(0.02))).toBeLessThanOrEqual(1e-9);
      for (const v of [...p.mass, p.cost, p.gap]) expect(Number.isFinite(v)).toBe(true);
    }
  });

  test("rows and columns of weight zero take no mass and change nothing", async () => {
    const { x, r, options } = instance(6, 5, 0.05, 9, true);
    const a = [0.25, 0, 0.25, 0.25, 0, 0.25];
    const b = [0, 0.5, 0.25, 0.25, 0];
    const p = await sinkhorn(squaredEuclidean(x, r), { ...options, a, b });
    const q = await sinkhorn(squaredEuclidean(takeRows(x, [0, 2, 3, 5]), takeRows(r, [1, 2, 3])), {
      ...options,
      b: [0.5, 0.25, 0.25],
    });
    expect(Array.from(p.mass)).toEqual(Array.from(q.mass));
    expect(new Set(p.rows)).toEqual(new Set([0, 2, 3, 5]));
    expect(new Set(p.cols)).toEqual(new Set([1, 2, 3]));
  });

  test("equal rows share one plan in proportion to their weights", async () => {
    const x = fromRows([
      [0, 1],
      [2, 0],
      [0, 1],
      [0, 1],
    ]);
    const r = fromRows([
      [1, 1],
      [0, 0],
      [1, 1],
    ]);
    const a = [0.1, 0.4, 0.2, 0.3];
    const p = toDense(await sinkhorn(squaredEuclidean(x, r), { epsilon: 0.3, a })).data;
    for (let j = 0; j < 3; j++) {
      expect(p[6 + j]! / p[j]!).toBeCloseTo(2, 12);
      expect(p[9 + j]! / p[j]!).toBeCloseTo(3, 12);
    }
    expect(p[0]).toBeCloseTo(p[2]!, 15);
  });

  test.each(["points", "matrix"])("permuting %s permutes the plan bit by bit", async (kind) => {
    const { x, r, options } = instance(9, 9, 0.02, 4, true);
    const order = stream(1, "order").permutation(9);
    const columns = stream(2, "order").permutation(9);
    const costs = [squaredEuclidean(x, r), squaredEuclidean(takeRows(x, order), takeRows(r, columns))];
    const [p, q] = await Promise.all(
      costs.map(
        async (cost) => toDense(await sinkhorn(kind === "points" ? cost : cost.dense(), options)).data,
      ),
    );
    order.forEach((i, t) => {
      columns.forEach((j, s) => {
        expect(q![t * 9 + s]).toBe(p![i * 9 + j]);
      });
    });
  });

  test.each([
    ["epsilon 0", { epsilon: 0 }, "OPTION_INVALID"],
    ["epsilon < 0", { epsilon: -1 }, "OPTION_INVALID"],
    ["epsilon NaN", { epsilon: Number.NaN }, "OPTION_INVALID"],
    ["epsilon infinite", { epsilon: Number.POSITIVE_INFINITY }, "OPTION_INVALID"],
    ["epsilon below the digits", { epsilon: 1e-300 }, "OPTION_INVALID"],
    ["tolerance 0", { epsilon: 1, tolerance: 0 }, "OPTION_INVALID"],
    ["half a pass", { epsilon: 1, maxIterations: 0.5 }, "OPTION_INVALID"],
    ["negative weight", { epsilon: 1, a: [2, -1] }, "WEIGHTS_INVALID"],
    ["weights that sum to two", { epsilon: 1, a: [1, 1] }, "WEIGHTS_INVALID"],
    ["weights of zero", { epsilon: 1, b: [0, 0] }, "WEIGHTS_INVALID"],
    ["too many weights", { epsilon: 1, a: [0.5, 0.25, 0.25] }, "INPUT_SHAPE"],
    ["no room", { epsilon: 1, limits: { bytes: 10 } }, "LIMIT_BYTES"],
  ] as const)("%s is refused", async (_, options, code) => {
    const cost = fromRows([
      [0, 1],
      [2, 3],
    ]);
    await expect(sinkhorn(cost, options)).rejects.toMatchObject({ code });
  });

  test("a cost that is not a number is refused", async () => {
    const cost: Cost = { n: 1, m: 2, row: (_, out) => out.set([0, Number.NaN]), dense: () => matrix(1, 2) };
    await expect(sinkhorn(cost, { epsilon: 1 })).rejects.toMatchObject({ code: "COST_INVALID" });
    await expect(sinkhorn(fromRows([[0, Number.POSITIVE_INFINITY]]), { epsilon: 1 })).rejects.toMatchObject({
      code: "COST_INVALID",
    });
  });

  test("an abort is heard while it works, and progress is told", async () => {
    slowClock();
    const cost = squaredEuclidean(gaussian(700, 2, 1, "x"), gaussian(700, 2, 1, "r"));
    const controller = new AbortController();
    const told: number[] = [];
    const run = sinkhorn(cost, {
      epsilon: 1e-5,
      signal: controller.signal,
      onProgress: ({ stage, done }) => {
        expect(stage).toBe("sinkhorn");
        told.push(done);
        if (done > 0) controller.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ code: "ABORTED" });
    expect(told.at(-1)).toBeGreaterThan(0);
  });

  test("constant costs give the independent plan", async () => {
    const p = await sinkhorn(matrix(3, 4), { epsilon: 1e-3 });
    for (const mass of p.mass) expect(mass).toBeCloseTo(1 / 12, 15);
    expect(p.cost).toBe(0);
  });
});

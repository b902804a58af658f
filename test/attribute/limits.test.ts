import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pshap } from "../../src/attribute/index.ts";
import { shapleyInto } from "../../src/attribute/shapley.ts";
import { exact, fromDense, toDense, uniform } from "../../src/couple/index.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { copyOf, fromRows, matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, PredictFunction } from "../../src/types.ts";
import { farthest } from "../support/attribute.ts";
import { gaussian, weights } from "../support/couple.ts";
import { offByOne, seededByBatch, seededByCompany } from "../support/mutants/attribute.ts";
import { refuses } from "../support/refuses.ts";

/** A function with interactions of every order among its columns. */
const tangled: PredictFunction = (rows) =>
  Float64Array.from({ length: rows.rows }, (_, i) => {
    const z = rowOf(rows, i);
    return Math.sin(z.reduce((sum, v, k) => sum + v * (1 + k) * 0.3, 0)) + z[0]! * z.at(-1)!;
  });

function norm(m: Matrix): number {
  return Math.sqrt(m.data.reduce((sum, v) => sum + v * v, 0));
}

describe("shapleyInto", () => {
  const law = (impl: typeof shapleyInto): void =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(1e6), (k, seed) => {
        const source = stream(seed, "cube");
        const cube = Float64Array.from({ length: 2 ** k }, () => source.normal());
        const phi = new Float64Array(k);
        impl(cube, k, phi);
        expect(phi.reduce((sum, v) => sum + v, 0)).toBeCloseTo(cube[0]! - cube.at(-1)!, 10);
        const majority = Float64Array.from(cube, (_, set) =>
          Number(set.toString(2).replaceAll("0", "").length > k / 2),
        );
        impl(majority, k, phi);
        for (const v of phi) expect(v).toBeCloseTo(-1 / k, 12);
      }),
    );

  test("deals out all of it, to equal players equally", () => law(shapleyInto));
  test("a kernel off by one is refused", () => refuses(() => law(offByOne)));

  test("a player without influence gets exactly 0", () => {
    const source = stream(1, "dummy");
    const cube = new Float64Array(64);
    for (let set = 0; set < 64; set++) cube[set] = (set >> 3) & 1 ? cube[set ^ 8]! : source.normal();
    const phi = new Float64Array(6);
    shapleyInto(cube, 6, phi);
    expect(phi[3]).toBe(0);
    expect(phi.filter((v) => v === 0)).toHaveLength(1);
  });
});

describe("the baselines are couplings", () => {
  const [x, r] = [gaussian(5, 4, 1, "x"), gaussian(6, 4, 1, "r")];

  test("one reference per row is B-SHAP of the pair", async () => {
    const partners = Int32Array.of(3, 0, 3, 5, 1);
    const found = await pshap(tangled, x, r, exact(partners, 6));
    for (const [i, j] of partners.entries()) {
      const alone = await pshap(tangled, takeRows(x, [i]), takeRows(r, [j]), exact(1));
      expect(Array.from(rowOf(found.values, i))).toEqual(Array.from(alone.values.data));
    }
  });

  test("an independent p is the weighed background for every row: RB-SHAP", async () => {
    const [a, b] = [weights(5, 1), weights(6, 2)];
    const p = matrix(
      5,
      6,
      Float64Array.from({ length: 30 }, (_, at) => a[Math.floor(at / 6)]! * b[at % 6]!),
    );
    const found = await pshap(tangled, x, r, fromDense(p));
    for (let i = 0; i < 5; i++) {
      const alone = await pshap(tangled, takeRows(x, [i]), r, fromDense(matrix(1, 6, b)));
      expect(farthest(alone.values, takeRows(found.values, [i]))).toBeLessThan(1e-14);
    }
    const even = await pshap(tangled, x, r, uniform(5, 6));
    expect(farthest(even.values, found.values)).toBeGreaterThan(0.01);
  });

  test("a reference named twice counts with both masses", async () => {
    const twice = await pshap(
      tangled,
      takeRows(x, [0]),
      takeRows(r, [2, 2, 4]),
      fromDense(fromRows([[0.2, 0.3, 0.5]])),
    );
    const once = await pshap(
      tangled,
      takeRows(x, [0]),
      takeRows(r, [2, 4]),
      fromDense(fromRows([[0.5, 0.5]])),
    );
    expect(farthest(twice.values, once.values)).toBeLessThan(1e-15);
  });

  test("weights matter: a skewed p is more than 10 % away from the same references unweighed", async () => {
    const p = fromDense(fromRows([[0.9, 0.05, 0.05]]));
    const [one, pool] = [takeRows(x, [0]), takeRows(r, [0, 1, 2])];
    const weighed = (await pshap(tangled, one, pool, p)).values;
    const unweighed = (await pshap(tangled, one, pool, uniform(1, 3))).values;
    const gap = matrix(
      1,
      4,
      weighed.data.map((v, k) => v - unweighed.data[k]!),
    );
    expect(norm(gap) / norm(weighed)).toBeGreaterThan(0.1);
    const parts = await Promise.all([0, 1, 2].map((j) => pshap(tangled, one, takeRows(pool, [j]), exact(1))));
    const sum = weighed.data.map(
      (_, k) =>
        0.9 * parts[0]!.values.data[k]! + 0.05 * (parts[1]!.values.data[k]! + parts[2]!.values.data[k]!),
    );
    expect(farthest(weighed, matrix(1, 4, sum))).toBeLessThan(1e-15);
  });

  test("a row without mass has nothing to attribute", async () => {
    const p = { ...fromDense(fromRows([[0.5, 0.5]])), n: 2 };
    const { values, base } = await pshap(tangled, takeRows(x, [0, 1]), takeRows(r, [0, 1]), p);
    expect(Array.from(rowOf(values, 1))).toEqual([0, 0, 0, 0]);
    expect(base[1]).toBe((tangled(takeRows(x, [1])) as Float64Array)[0]);
  });
});

describe("sizes of a game", () => {
  /** n rows whose first k of d columns differ from their references. */
  const differing = (k: number, d: number): { x: Matrix; r: Matrix } => {
    const x = gaussian(2, d, k, "x");
    const r = copyOf(x);
    const other = gaussian(2, d, k, "r");
    for (let at = 0; at < 2 * d; at++) if (at % d < k) r.data[at] = other.data[at]!;
    return { x, r };
  };

  test.each([0, 1, 2, 9])("%i differing players are exact and the others get 0", async (k) => {
    const { x, r } = differing(k, 12);
    const { values, exact: proven, residual } = await pshap(tangled, x, r, exact(2));
    expect(proven).toBe(true);
    expect(residual).toBeLessThan(1e-12);
    for (let at = 0; at < 24; at++) expect(values.data[at] !== 0).toBe(at % 12 < k);
  });

  test.each([25, 200])("%i differing players of a black box are sampled, efficiency exact", async (k) => {
    const { x, r } = differing(k, 200);
    const soft: PredictFunction = (rows) =>
      Float64Array.from({ length: rows.rows }, (_, i) =>
        Math.tanh(rowOf(rows, i).reduce((sum, v, c) => sum + v * Math.cos(c), 0) / Math.sqrt(k)),
      );
    const {
      values,
      exact: proven,
      residual,
      stderr,
      evaluations,
    } = await pshap(soft, x, r, exact(2), { maxEvaluations: 258 });
    expect(proven).toBe(false);
    expect(residual).toBeLessThan(1e-9);
    expect(evaluations).toBeLessThanOrEqual(2 * 258);
    for (let at = 0; at < 400; at++) {
      expect(values.data[at] !== 0).toBe(at % 200 < k);
      expect(stderr!.data[at]! > 0).toBe(at % 200 < k);
    }
  });

  test("x = r and constant models give zeros", async () => {
    const { x, r } = differing(5, 5);
    const same = await pshap(tangled, x, x, exact(2));
    expect(same.values.data.every((v) => v === 0)).toBe(true);
    expect(Array.from(same.base)).toEqual(Array.from(tangled(x) as Float64Array));
    for (const options of [{}, { maxEnumeration: 2 }]) {
      const flat = await pshap((rows) => new Float64Array(rows.rows).fill(3), x, r, exact(2), options);
      expect(flat.values.data.every((v) => v === 0)).toBe(true);
      expect(Array.from(flat.base)).toEqual([3, 3]);
    }
  });

  test("a missing value equals itself and differs from any other", async () => {
    const filled: PredictFunction = (rows) =>
      Float64Array.from({ length: rows.rows }, (_, i) =>
        rowOf(rows, i).reduce((sum, v) => sum + (Number.isNaN(v) ? 10 : v), 0),
      );
    const { values } = await pshap(
      filled,
      fromRows([[null, 1, null]]),
      fromRows([[null, null, 4]]),
      exact(1),
    );
    expect(Array.from(values.data)).toEqual([0, -9, 6]);
  });
});

describe("what does not change an answer", () => {
  const [x, r] = [gaussian(7, 13, 3, "x"), gaussian(5, 13, 3, "r")];
  const coupling = fromDense(matrix(7, 5, weights(35, 4)));
  const options = { maxEvaluations: 130 };
  const bytes = (m: Matrix): number[] => Array.from(m.data);

  const batchLaw = async (impl: typeof pshap): Promise<void> => {
    const whole = await impl(tangled, x, r, coupling, options);
    expect(whole.exact).toBe(false);
    for (const batchRows of [1, 7, 1000]) {
      const found = await impl(tangled, x, r, coupling, { ...options, batchRows });
      expect(bytes(found.values)).toEqual(bytes(whole.values));
      expect(bytes(found.stderr!)).toEqual(bytes(whole.stderr!));
    }
  };
  test("the batch size, to the last bit, where sampled", () => batchLaw(pshap));
  test("random numbers that depend on the batch are refused", () => refuses(() => batchLaw(seededByBatch)));

  test("the batch size, to the last bit, where enumerated", async () => {
    const [a, b] = [gaussian(2, 4, 8, "x"), gaussian(2, 4, 8, "r")];
    const whole = await pshap(tangled, a, b, uniform(2, 2));
    for (const batchRows of [1, 3]) {
      const found = await pshap(tangled, a, b, uniform(2, 2), { batchRows });
      expect(bytes(found.values)).toEqual(bytes(whole.values));
    }
  });

  const companyLaw = async (impl: typeof pshap): Promise<void> => {
    const whole = await impl(tangled, x, r, coupling, options);
    const order = [4, 2, 6, 0, 1, 5, 3];
    const turned = fromDense(takeRows(toDense(coupling), order));
    const found = await impl(tangled, takeRows(x, order), r, turned, options);
    expect(bytes(found.values)).toEqual(bytes(takeRows(whole.values, order)));
    const partners = Int32Array.of(0, 1, 2, 3, 4, 0, 1);
    const pairs = await impl(tangled, x, r, exact(partners, 5), options);
    for (const [i, j] of partners.entries()) {
      const alone = await impl(tangled, takeRows(x, [i]), r, exact([j], 5), options);
      expect(bytes(alone.values)).toEqual(bytes(takeRows(pairs.values, [i])));
    }
  };
  test("the order of the rows and the presence of others, to the last bit", () => companyLaw(pshap));
  test("random numbers that depend on the company are refused", () =>
    refuses(() => companyLaw(seededByCompany)));

  test("another seed changes sampled values only", async () => {
    const [a, b] = [
      await pshap(tangled, x, r, coupling, options),
      await pshap(tangled, x, r, coupling, { ...options, seed: 1 }),
    ];
    expect(farthest(a.values, b.values)).toBeGreaterThan(1e-6);
    const few = { maxEnumeration: 2 ** 13 };
    const one = takeRows(x, [0]);
    const c = await pshap(tangled, one, r, exact([1], 5), { ...few, seed: 1 });
    expect(bytes(c.values)).toEqual(bytes((await pshap(tangled, one, r, exact([1], 5), few)).values));
  });
});

describe("what the model is asked", () => {
  /** Counts the rows asked, and the different ones among them. */
  const counting = (): { model: PredictFunction; rows: string[] } => {
    const rows: string[] = [];
    const model: PredictFunction = (asked) => {
      for (let i = 0; i < asked.rows; i++) rows.push(rowOf(asked, i).join());
      return tangled(asked);
    };
    return { model, rows };
  };

  test("every row once: hybrids, rows and references that are equal are asked together", async () => {
    const x = fromRows([
      [0, 0, 1],
      [0, 1, 1],
      [0, 0, 1],
    ]);
    const r = fromRows([
      [1, 1, 1],
      [1, 1, 0],
      [1, 1, 1],
    ]);
    const { model, rows } = counting();
    const found = await pshap(model, x, r, uniform(3, 3));
    expect(found.evaluations).toBe(rows.length);
    // f(x) and f(r) first (4 different rows), then the hybrids (each different one once).
    expect(rows.length).toBeLessThanOrEqual(4 + 8);
    expect(new Set(rows.slice(4)).size).toBe(rows.length - 4);
  });

  test("a game of k players costs 2^k − 2 hybrids and its two ends", async () => {
    const { model, rows } = counting();
    await pshap(model, gaussian(3, 4, 1, "x"), gaussian(3, 4, 1, "r"), exact(3));
    expect(rows.length).toBe(3 * 2 ** 4);
    expect(new Set(rows).size).toBe(rows.length);
  });

  test("a model that shows its structure scores the ends alone", async () => {
    const structure = {
      kind: "linear",
      intercept: 0,
      weights: Float64Array.of(1, -2, 3, 1),
      link: "logistic",
      kernels: linearKernels,
    } as const;
    const { model, rows } = counting();
    await pshap(
      {
        outputs: ["score"],
        predict: async (asked) => Float64Array.from(await model(asked)),
        structure: () => structure,
      },
      gaussian(3, 4, 1, "x"),
      gaussian(3, 4, 1, "r"),
      exact(3),
    );
    expect(rows.length).toBe(6);
  });
});

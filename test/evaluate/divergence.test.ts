import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { transport } from "../../src/couple/transport.ts";
import { type DivergenceName, divergence, divergences, labelsOf } from "../../src/evaluate/divergence.ts";
import { medianGamma, mmd } from "../../src/evaluate/mmd.ts";
import { wasserstein } from "../../src/evaluate/wasserstein.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";
import { divergenceMutants } from "../support/mutants/evaluate.ts";
import { refuses } from "../support/refuses.ts";

type Registry = Readonly<Record<DivergenceName, Pick<(typeof divergences)["w1"], "value">>>;

const NAMES = Object.keys(divergences) as DivergenceName[];
const value = fc.integer({ min: -5000, max: 5000 }).map((v) => v / 1000);
const sample = fc.array(value, { minLength: 1, maxLength: 9 });
const bits = fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 12 });

/** D(a, a) = 0, D(a, b) = D(b, a) ≥ 0, whatever the order of the values. */
function zeroAndSymmetric(registry: Registry): void {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      for (const name of NAMES) {
        const { value: d } = registry[name];
        expect(Math.abs(d(a, a.slice().reverse()))).toBeLessThan(1e-12);
        expect(d(a, b)).toBeGreaterThanOrEqual(-1e-12);
        expect(d(a, b)).toBeCloseTo(d(b, a), 10);
      }
    }),
  );
}

/** Whole weights are repetitions: a value of weight 3/N is the value three times among N. */
function weightsRepeat(registry: Registry): void {
  const counted = fc.array(fc.tuple(value, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(counted, sample, (pairs, b) => {
      const counts = pairs.map(([, times], i) => (i === 0 ? times + 1 : times));
      const total = counts.reduce((sum, c) => sum + c, 0);
      const a = pairs.map(([v]) => v);
      const repeated = a.flatMap((v, i) => new Array<number>(counts[i]!).fill(v));
      const wa = counts.map((c) => c / total);
      for (const name of NAMES) {
        const { value: d } = registry[name];
        expect(d(a, b, { wa })).toBeCloseTo(divergences[name].value(repeated, b), 9);
        expect(d(b, a, { wb: wa })).toBeCloseTo(divergences[name].value(b, repeated), 9);
      }
    }),
  );
}

/** On a line, W1 and W2² are the least cost over all plans. */
async function optimalOnALine(registry: Registry): Promise<void> {
  await fc.assert(
    fc.asyncProperty(sample, sample, async (a, b) => {
      const cost = (power: number): Promise<number> =>
        transport(
          matrix(
            a.length,
            b.length,
            Float64Array.from(a.flatMap((u) => b.map((v) => Math.abs(u - v) ** power))),
          ),
        ).then((plan) => plan.cost);
      expect(registry.w1.value(a, b)).toBeCloseTo(await cost(1), 9);
      expect(registry.transport.value(a, b)).toBeCloseTo(await cost(2), 9);
    }),
    { numRuns: 50 },
  );
}

/** On 0/1 labels, with Δ the difference of means: OT = MeanD = W1 = Δ and MMD = 2(1 − 1/e)Δ². */
function labels(registry: Registry): void {
  fc.assert(
    fc.property(bits, bits, (a, b) => {
      const share = (v: number[]): number => v.reduce((sum, bit) => sum + bit, 0) / v.length;
      const delta = Math.abs(share(a) - share(b));
      expect(registry.transport.value(a, b)).toBeCloseTo(delta, 12);
      expect(registry.mean.value(a, b)).toBeCloseTo(delta, 12);
      expect(registry.w1.value(a, b)).toBeCloseTo(delta, 12);
      expect(registry.mmd.value(a, b)).toBeCloseTo(2 * (1 - Math.exp(-1)) * delta ** 2, 12);
      expect([0, 0.5, 1]).toContain(registry.median.value(a, b));
    }),
  );
}

/** Moving both samples changes nothing; |E a − E b| ≤ W1 ≤ √W2²; an L-Lipschitz map stretches W1 by L at most. */
function moves(registry: Registry): void {
  fc.assert(
    fc.property(sample, sample, value, (a, b, shift) => {
      const moved = (v: number[]): number[] => v.map((u) => u + shift);
      for (const name of NAMES) {
        expect(registry[name].value(moved(a), moved(b))).toBeCloseTo(registry[name].value(a, b), 9);
      }
      const distance = registry.w1.value(a, b);
      expect(distance).toBeGreaterThanOrEqual(registry.mean.value(a, b) - 1e-9);
      expect(distance ** 2).toBeLessThanOrEqual(registry.transport.value(a, b) + 1e-9);
      const f = (v: number[]): number[] => v.map((u) => 3 * Math.sin(u));
      expect(registry.w1.value(f(a), f(b))).toBeLessThanOrEqual(3 * distance + 1e-9);
    }),
  );
}

const laws = { zeroAndSymmetric, weightsRepeat, optimalOnALine, labels, moves };

describe("divergence", () => {
  test.each(Object.entries(laws))("%s", async (_, law) => {
    await law(divergences);
  });

  test.each(Object.entries(divergenceMutants))("%s is refused", async (_, { law, registry }) => {
    await refuses(() => laws[law](registry));
  });

  test.each(NAMES)("%s refuses what is not a sample", (name) => {
    const refusal = (code: string): unknown => expect.objectContaining({ code });
    expect(() => divergence(name, [], [1])).toThrow(refusal("INPUT_EMPTY"));
    expect(() => divergence(name, [1], [])).toThrow(refusal("INPUT_EMPTY"));
    expect(() => divergence(name, [1, Number.NaN], [1])).toThrow(refusal("INPUT_NOT_FINITE"));
    expect(() => divergence(name, [1], [Number.NEGATIVE_INFINITY])).toThrow(refusal("INPUT_NOT_FINITE"));
    expect(() => divergence(name, [1, 2], [1], { wa: [0.5, 0.6] })).toThrow(refusal("WEIGHTS_INVALID"));
    expect(() => divergence(name, [1, 2], [1], { wa: [-1, 2] })).toThrow(refusal("WEIGHTS_INVALID"));
    expect(() => divergence(name, [1], [1, 2], { wb: [0, 0] })).toThrow(refusal("WEIGHTS_INVALID"));
    expect(() => divergence(name, [1], [1, 2], { wb: [1] })).toThrow(refusal("INPUT_SHAPE"));
  });

  test("an unknown name is refused with the names there are", () => {
    expect(() => divergence("kl" as DivergenceName, [1], [1])).toThrow(/w1, transport, mmd, mean, median/);
    expect(() => divergence("toString" as DivergenceName, [1], [1])).toThrow(
      expect.objectContaining({ code: "NAME_UNKNOWN" }),
    );
  });

  test("labels are 1 strictly above the threshold", () => {
    expect(Array.from(labelsOf([0.5, 0.51, 0, 1]))).toEqual([0, 1, 0, 1]);
    expect(Array.from(labelsOf([0.5, 0.51], 0.4))).toEqual([1, 1]);
  });

  test("mmd refuses a gamma that is none", () => {
    const refusal = expect.objectContaining({ code: "OPTION_INVALID" });
    expect(() => mmd([1], [2], { gamma: 0 })).toThrow(refusal);
    expect(() => mmd([1], [2], { gamma: Number.NaN })).toThrow(refusal);
    expect(() => medianGamma([1, 1, 1], [1])).toThrow(refusal);
    expect(() => mmd([1], [2, 3], { unbiased: true })).toThrow(
      expect.objectContaining({ code: "INPUT_EMPTY" }),
    );
    expect(() => mmd(fromRows([[1, 2]]), fromRows([[1]]))).toThrow(
      expect.objectContaining({ code: "INPUT_SHAPE" }),
    );
  });

  test("wasserstein refuses an order it does not know", async () => {
    const a = fromRows([[1]]);
    await expect(wasserstein(a, a, { order: 3 as 2 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

interface Kernels {
  readonly mmd: Record<string, { gamma: number; biased: number; unbiased: number | null }>;
  readonly median_heuristic_gamma: number;
}
interface DivergenceFixture {
  readonly tolerance: { readonly rel: number; readonly abs: number };
  readonly one_d: readonly (Kernels & {
    readonly a: number[];
    readonly b: number[];
    readonly wa: number[];
    readonly wb: number[];
    readonly W1: number;
    readonly W1_weighted: number;
    readonly W2sq: number;
    readonly W2sq_weighted: number;
    readonly MeanD: number;
    readonly MedianD: number;
  })[];
  readonly multi_d: readonly (Kernels & {
    readonly A: number[][];
    readonly B: number[][];
    readonly W1: number;
    readonly W2sq: number;
    readonly linear_kernel_mmd2: number;
  })[];
}

const FILE = "divergences.json";

describe.skipIf(!hasFixture(FILE))(`against ${FILE} (skipped where the file is missing)`, () => {
  const { tolerance, one_d, multi_d } = hasFixture(FILE)
    ? fixture<DivergenceFixture>(FILE)
    : { tolerance: { rel: 0, abs: 0 }, one_d: [], multi_d: [] };
  const close = (found: number, expected: number): void => {
    expect(Math.abs(found - expected)).toBeLessThanOrEqual(
      tolerance.rel * Math.abs(expected) + tolerance.abs,
    );
  };
  const kernels = (a: number[] | ReturnType<typeof fromRows>, b: typeof a, expected: Kernels): void => {
    for (const { gamma, biased, unbiased } of Object.values(expected.mmd)) {
      close(mmd(a, b, { gamma }), biased);
      if (unbiased !== null) close(mmd(a, b, { gamma, unbiased: true }), unbiased);
    }
    close(medianGamma(a, b), expected.median_heuristic_gamma);
    close(mmd(a, b, { gamma: "median" }), mmd(a, b, { gamma: expected.median_heuristic_gamma }));
  };

  test("one dimension", () => {
    expect(one_d.length).toBeGreaterThan(0);
    for (const entry of one_d) {
      const { a, b, wa, wb } = entry;
      close(divergence("w1", a, b), entry.W1);
      close(divergence("w1", a, b, { wa, wb }), entry.W1_weighted);
      close(divergence("transport", a, b), entry.W2sq);
      close(divergence("transport", a, b, { wa, wb }), entry.W2sq_weighted);
      close(divergence("mean", a, b), entry.MeanD);
      close(divergence("median", a, b), entry.MedianD);
      kernels(a, b, entry);
    }
  });

  test("several dimensions", async () => {
    expect(multi_d.length).toBeGreaterThan(0);
    for (const entry of multi_d) {
      const [a, b] = [fromRows(entry.A), fromRows(entry.B)];
      close(await wasserstein(a, b), entry.W2sq);
      close(await wasserstein(a, b, { order: 1 }), entry.W1);
      close(mmd(a, b, { kernel: "linear" }), entry.linear_kernel_mmd2);
      kernels(a, b, entry);
    }
  });
});

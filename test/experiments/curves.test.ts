import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byOnes, levelsOf } from "../../experiments/curves.ts";
import { bandOf } from "../../experiments/figure.ts";
import { type Counts, sampleRuns } from "../../experiments/runs.ts";
import { PRESETS, QUICK, SCENARIOS, scenarioOf } from "../../experiments/settings.ts";
import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { countMutants, labelMutants } from "../support/mutants/experiments.ts";

const sizes = fc.record({ n: fc.integer({ min: 1, max: 30 }), m: fc.integer({ min: 1, max: 30 }) });

/** On hard labels the four divergences are one number: OT = MeanD = Δ, MMD = 2(1 − 1/e)Δ², MedianD ∈ {0, ½, 1}. */
function identities(tables: typeof byOnes): void {
  fc.assert(
    fc.property(sizes, fc.nat(), ({ n, m }, pick) => {
      const desired = Float64Array.from({ length: m }, (_, j) => Number(j < pick % (m + 1)));
      const { OT, MMD, MeanD, MedianD } = tables(n, desired);
      const goal = (pick % (m + 1)) / m;
      for (let ones = 0; ones <= n; ones++) {
        const gap = Math.abs(ones / n - goal);
        for (const [name, value, wanted] of [
          ["OT", OT[ones]!, gap],
          ["MeanD", MeanD[ones]!, gap],
          ["MMD", MMD[ones]!, 2 * (1 - Math.exp(-1)) * gap * gap],
        ] as const) {
          if (Math.abs(value - wanted) > 1e-12) throw new Error(`${name} is ${value}, not ${wanted}`);
        }
        if (![0, 0.5, 1].includes(MedianD[ones]!)) throw new Error(`MedianD is ${MedianD[ones]}`);
      }
    }),
    { numRuns: 40 },
  );
}

describe("the identities of the divergences on hard labels", () => {
  test("hold", () => identities(byOnes));
  test.each(Object.entries(labelMutants))("%s breaks one", (_, mutant) => {
    expect(() => identities(mutant)).toThrow();
  });
});

/** 1 where the product of the first two columns is below the third. */
const model: Model = {
  outputs: ["0", "1"],
  predict: (rows) =>
    Float64Array.from({ length: rows.rows }, (_, i) => {
      const [a, b, c] = rows.data.subarray(i * rows.cols);
      return Number(a! * b! < c!);
    }),
};

function group(seed: number): { x: Matrix; q: Matrix; phi: Matrix } {
  const random = stream(seed, "group");
  const x = Float64Array.from({ length: 24 }, () => random.normal());
  const q = x.map((v) => (random.next() < 0.3 ? v : random.normal()));
  return {
    x: matrix(6, 4, x),
    q: matrix(6, 4, q),
    phi: matrix(
      6,
      4,
      x.map(() => random.normal()),
    ),
  };
}

/** What must be true of counts, whatever was drawn: they start at x, end at q, and move one row at a time. */
async function honest(seed: number, change: (right: Counts) => Counts): Promise<void> {
  const { x, q, phi } = group(seed);
  const ones = async (rows: Matrix) => (await model.predict(rows)).reduce((a, b) => a + b, 0);
  const runs = await sampleRuns(model, x, q, phi, PRESETS.paper, new Int32Array(0), 5, stream(seed, "runs"));
  const { at, counts } = change(runs);
  const differing = x.data.filter((v, c) => v !== q.data[c]).length;
  if (at.length !== differing + 1) throw new Error("a cell with q = x is an edit");
  for (const run of counts) {
    if (run[0] !== (await ones(x))) throw new Error("does not start at x");
    if (run.at(-1) !== (await ones(q))) throw new Error("does not end at q");
    if (run.some((v, c) => c > 0 && Math.abs(v - run[c - 1]!) > 1)) throw new Error("jumps");
  }
}

describe("sampling runs", () => {
  test("start at x, end at q, and move one label at a time", async () => {
    for (let seed = 0; seed < 30; seed++) await honest(seed, (right) => right);
  });

  test.each(Object.entries(countMutants))("%s is noticed", async (_, mutant) => {
    const caught = await Promise.allSettled(Array.from({ length: 30 }, (_v, seed) => honest(seed, mutant)));
    expect(caught.some(({ status }) => status === "rejected")).toBe(true);
  });

  test("independent draws hit the same means as nested ones", async () => {
    const { x, q, phi } = group(3);
    const at = Int32Array.from({ length: 25 }, (_, c) => c);
    const means = async (preset: "paper" | "authors") => {
      const switches = { ...PRESETS[preset], unchanged: "keep" as const };
      const { counts } = await sampleRuns(model, x, q, phi, switches, at, 800, stream(1, preset));
      return Array.from(at, (c) => counts.reduce((sum, run) => sum + run[c]!, 0) / counts.length);
    };
    const [nested, independent] = [await means("paper"), await means("authors")];
    nested.forEach((value, c) => {
      expect(Math.abs(value - independent[c]!)).toBeLessThan(0.25);
    });
  });
});

test("levels: the first hit of each run and the first C of the mean curve", () => {
  const D = Float64Array.from([0, 0.25, 0.5, 0.75, 1]);
  const counts = {
    at: Int32Array.from([0, 1, 2, 3]),
    counts: [
      [4, 2, 0, 1],
      [4, 4, 1, 0],
      [4, 4, 4, 4],
    ].map((r) => Uint16Array.from(r)),
  };
  const [most, all] = levelsOf(counts, D, 2, 3.291);
  expect(all).toMatchObject({ level: 1, firstHit: 1.25, meanCurve: null });
  expect(all!.reached).toBeCloseTo(2 / 3, 12);
  expect(most).toMatchObject({ level: 0.8, firstHit: 1.25, meanCurve: null });
  expect(all!.half).toBeCloseTo((3.291 * 0.25) / Math.sqrt(2), 6);
});

test("settings: sixteen scenarios, four of each data set, all twelve models, all five generators", () => {
  expect(SCENARIOS).toHaveLength(16);
  for (const data of ["german", "hotel", "compas", "heloc"]) {
    expect(SCENARIOS.filter((s) => s.data === data)).toHaveLength(4);
  }
  expect(new Set(SCENARIOS.map((s) => s.model)).size).toBe(12);
  expect(new Set(SCENARIOS.map((s) => s.generator)).size).toBe(5);
  expect(QUICK.map(scenarioOf)).toHaveLength(4);
  expect(() => scenarioOf("iris-forest-knn")).toThrow(expect.objectContaining({ code: "NAME_UNKNOWN" }));
});

test("bands end where D does: at 0 and 1, MMD at 2(1 − 1/e)", () => {
  expect(bandOf(0.9, 0.2, "MedianD")).toEqual({ low: 0.7, high: 1 });
  expect(bandOf(0.1, 0.2, "OT").low).toBe(0);
  expect(bandOf(1.2, 0.2, "MMD").high).toBeCloseTo(2 * (1 - 1 / Math.E), 12);
  expect(bandOf(0.5, 0.1, "MeanD").high).toBeCloseTo(0.6, 12);
});

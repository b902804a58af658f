import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pshap } from "../../src/attribute/index.ts";
import { uniform } from "../../src/couple/index.ts";
import { denseShap, denseShapInto } from "../../src/model/trees/dense.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treePairShapInto } from "../../src/model/trees/shap.ts";
import { matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import type { Matrix, Model, Trees } from "../../src/types.ts";
import { COLS, farthest, forestModel, GROUPS } from "../support/attribute.ts";
import { wildForest, wildRows } from "../support/forests.ts";

type Players = readonly (readonly number[])[];
type Dense = (trees: Trees, x: Matrix, r: Matrix, players: Players) => Matrix;

const SINGLE: Players = Array.from({ length: COLS }, (_, c) => [c]);

const ours: Dense = (trees, x, r, players) => {
  const phi = matrix(x.rows, players.length);
  for (const _ of denseShapInto(trees, x, r, players, phi.data));
  return phi;
};

/** Pair by pair: the walk that the enumeration of all hybrids confirms elsewhere. */
const walked: Dense = (trees, x, r, players) => {
  const phi = matrix(x.rows, players.length);
  const one = new Float64Array(players.length);
  for (let i = 0; i < x.rows; i++) {
    for (let j = 0; j < r.rows; j++) {
      treePairShapInto(trees, rowOf(x, i), rowOf(r, j), players, one);
      for (let u = 0; u < one.length; u++) phi.data[i * one.length + u]! += one[u]! / r.rows;
    }
  }
  return phi;
};

/** Missing values, categories, zero as missing, float32, both comparisons, one-hot players. */
const cases = fc.record({
  seed: fc.nat(1e6),
  n: fc.integer({ min: 1, max: 9 }),
  m: fc.integer({ min: 1, max: 40 }),
  players: fc.constantFrom(SINGLE, GROUPS),
});

function equalsTheWalk(dense: Dense): void {
  fc.assert(
    fc.property(cases, ({ seed, n, m, players }) => {
      const trees = wildForest(seed, { cols: COLS, link: "identity" });
      const [x, r] = [wildRows(seed, n, COLS), wildRows(seed + 1, m, COLS)];
      const truth = walked(trees, x, r, players);
      const size = 1 + truth.data.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
      return farthest(dense(trees, x, r, players), truth) / size < 1e-12;
    }),
    { numRuns: process.env["COLA_SOAK"] ? 10_000 : 200 },
  );
}

describe("many references at once", () => {
  test("φ is the mean over all pairs", () => {
    equalsTheWalk(ours);
    const oneShort: Dense = (trees, x, r, players) =>
      ours(
        trees,
        x,
        takeRows(
          r,
          Array.from({ length: Math.max(1, r.rows - 1) }, (_, j) => j),
        ),
        players,
      );
    expect(() => equalsTheWalk(oneShort)).toThrow();
    const otherSide: Dense = (trees, x, r, players) => {
      const phi = ours(trees, x, r, players);
      return { ...phi, data: phi.data.map((v) => -v) };
    };
    expect(() => equalsTheWalk(otherSide)).toThrow();
  });

  test("a row's φ is the same to the bit whatever rows are beside it", () => {
    fc.assert(
      fc.property(cases, ({ seed, n, m, players }) => {
        const trees = wildForest(seed, { cols: COLS, link: "identity" });
        const [x, r] = [wildRows(seed, n, COLS), wildRows(seed + 1, m, COLS)];
        const together = ours(trees, x, r, players);
        for (let i = 0; i < n; i++) {
          expect(ours(trees, takeRows(x, [i]), r, players).data).toEqual(rowOf(together, i));
        }
      }),
      { numRuns: 50 },
    );
  });

  test("pshap takes it where every row weighs at least sixteen references alike", async () => {
    const [x, r] = [wildRows(1, 5, COLS), wildRows(2, 16, COLS)];
    for (const link of ["identity", "logistic"] as const) {
      const model = forestModel(3, link);
      const pairwise = withoutDense(model);
      for (const [references, many] of [
        [r, true],
        [
          takeRows(
            r,
            Array.from({ length: 15 }, (_, j) => j),
          ),
          false,
        ],
      ] as const) {
        const coupling = uniform(5, references.rows);
        const inside = await pshap(model, x, references, coupling, { space: "margin", output: 0 });
        const truth = await pshap(pairwise, x, references, coupling, { space: "margin", output: 0 });
        expect(farthest(inside.values, truth.values)).toBeLessThan(1e-12);
        expect(farthest(matrix(1, 5, inside.base), matrix(1, 5, truth.base))).toBeLessThan(1e-12);
        expect(inside.evaluations).toBe(truth.evaluations);
        if (!many) expect(inside).toEqual(truth);
      }
    }
  });

  test("deep forests go pair by pair", () => {
    const chain = deepTree(11);
    expect(denseShap(chain)).toBeUndefined();
    expect(denseShap(deepTree(10))).toBeDefined();
  });
});

/** The same model, attributed pair by pair. */
function withoutDense(model: Model): Model {
  const { shapAll: _, ...kernels } = treeKernels;
  return { ...model, structure: (output) => ({ ...(model.structure!(output) as Trees), kernels }) };
}

/** One tree that tests a column `depth` times in a row. */
function deepTree(depth: number): Trees {
  const nodes = 2 * depth + 1;
  const feature = Int32Array.from({ length: nodes }, (_, v) => (v % 2 === 0 && v < nodes - 1 ? 0 : -1));
  return {
    kind: "trees",
    base: 0,
    link: "identity",
    roots: Int32Array.of(0),
    feature,
    threshold: Float64Array.from({ length: nodes }, (_, v) => v),
    left: Int32Array.from({ length: nodes }, (_, v) => v + 1),
    right: Int32Array.from({ length: nodes }, (_, v) => v + 2),
    value: Float64Array.from({ length: nodes }, (_, v) => v),
    flags: new Uint8Array(nodes),
    inclusive: true,
    float32: false,
    kernels: treeKernels,
  };
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { treeCubeInto } from "../../../src/model/trees/cube.ts";
import { predictTrees } from "../../../src/model/trees/predict.ts";
import { treePairShapInto } from "../../../src/model/trees/shap.ts";
import { treeSmallSubsets } from "../../../src/model/trees/small.ts";
import { leafOf, seen } from "../../../src/model/trees/structure.ts";
import { forEachSmallSubset, smallSubsetCount, smallSubsetIndex } from "../../../src/model/trees/subsets.ts";
import { matrix, rowOf } from "../../../src/num/matrix.ts";
import type { Matrix, Trees } from "../../../src/types.ts";
import { wildForest, wildRows } from "../../support/forests.ts";
import { edgesTurned, pairShapMutants, unrounded } from "../../support/mutants/attribute.ts";
import { refuses } from "../../support/refuses.ts";

const COLS = 8;
/** Players of one, two and three columns; column 7 belongs to none. */
const GROUPED = [[0], [3, 1], [2], [4, 5, 6]];
const SINGLE = Array.from({ length: COLS }, (_, c) => [c]);
const seeds = fc.nat(1e6);

/** margin(r on S, x elsewhere) by walking every tree once for every S. */
function naiveCube(
  trees: Trees,
  x: Float64Array,
  r: Float64Array,
  players: readonly number[][],
): Float64Array {
  return Float64Array.from({ length: 2 ** players.length }, (_, set) => {
    const row = x.map((v) => seen(trees, v));
    for (const [u, own] of players.entries()) {
      if ((set >> u) & 1) for (const c of own) row[c] = seen(trees, r[c]!);
    }
    return trees.roots.reduce((sum, root) => sum + trees.value[leafOf(trees, root, row)]!, 0) + trees.base;
  });
}

/** φ by the definition: the mean over all orders. */
function byOrders(cube: Float64Array, k: number): Float64Array {
  const phi = new Float64Array(k);
  const orders = permutations(k);
  for (const order of orders) {
    let edited = cube.length - 1;
    for (const u of order) {
      phi[u]! += (cube[edited ^ (1 << u)]! - cube[edited]!) / orders.length;
      edited ^= 1 << u;
    }
  }
  return phi;
}

function permutations(k: number): number[][] {
  if (k === 0) return [[]];
  return permutations(k - 1).flatMap((order) =>
    Array.from({ length: k }, (_, at) => [...order.slice(0, at), k - 1, ...order.slice(at)]),
  );
}

function pairOf(seed: number): { trees: Trees; x: Float64Array; r: Float64Array } {
  const rows = wildRows(seed, 2, COLS);
  return { trees: wildForest(seed, { cols: COLS }), x: rowOf(rows, 0), r: rowOf(rows, 1) };
}

function predictLaw(impl: (trees: Trees, rows: Matrix) => Float64Array): void {
  fc.assert(
    fc.property(seeds, (seed) => {
      const trees = wildForest(seed, { cols: COLS });
      const rows = wildRows(seed, 20, COLS);
      const wanted = Array.from(
        { length: 20 },
        (_, i) => naiveCube(trees, rowOf(rows, i), rowOf(rows, i), [])[0],
      );
      expect(Array.from(impl(trees, rows))).toEqual(wanted);
    }),
  );
}

describe("predictTrees", () => {
  test("is the sum of the leaves the node rule leads to, to the last bit", () => predictLaw(predictTrees));

  test("turned edges and forgotten rounding are noticed", async () => {
    await refuses(() => predictLaw(edgesTurned));
    await refuses(() => predictLaw(unrounded));
  });

  test("a row's margin does not depend on the rows beside it", () => {
    const trees = wildForest(3, { cols: COLS, count: 20 });
    const rows = wildRows(3, 600, COLS);
    const together = predictTrees(trees, rows);
    for (const i of [0, 255, 256, 599]) {
      expect(predictTrees(trees, matrix(1, COLS, rowOf(rows, i).slice()))[0]).toBe(together[i]);
    }
  });
});

describe("treeCubeInto", () => {
  test.each([
    ["single columns", SINGLE],
    ["groups", GROUPED],
    ["no player", []],
  ])("holds the margin of every hybrid to the last bit: %s", (_, players) => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { trees, x, r } = pairOf(seed);
        const out = new Float64Array(2 ** players.length).fill(7);
        treeCubeInto(trees, x, r, players, out);
        expect(Array.from(out)).toEqual(Array.from(naiveCube(trees, x, r, players)));
      }),
      { numRuns: 40 },
    );
  });
});

describe("treeSmallSubsets", () => {
  test.each([1, 2, 3])("agrees with the cube on the sets of at most %i players", (maxSize) => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(SINGLE, GROUPED, [], [[2]], [[5], [1]]), (seed, players) => {
        const { trees, x, r } = pairOf(seed);
        const cube = naiveCube(trees, x, r, players);
        const small = treeSmallSubsets(trees, x, r, players, maxSize);
        forEachSmallSubset(players.length, maxSize, (members, place) => {
          expect(small[place]).toBe(cube[members.reduce((set, u) => set | (1 << u), 0)]);
        });
      }),
      { numRuns: 30 },
    );
  });

  test("places run by size, then lexicographically", () => {
    for (let k = 0; k <= 7; k++) {
      for (const maxSize of [1, 2, 3]) {
        const listed: number[][] = [];
        forEachSmallSubset(k, maxSize, (members, place) => {
          expect(place).toBe(listed.length);
          expect(smallSubsetIndex(k, members)).toBe(place);
          listed.push([...members]);
        });
        expect(listed.length).toBe(smallSubsetCount(k, Math.min(k, maxSize)));
        const sorted = listed.toSorted((a, b) => a.length - b.length || (a.join() < b.join() ? -1 : 1));
        expect(listed).toEqual(sorted);
      }
    }
  });

  test("takes 200 players", () => {
    const trees = wildForest(1, { cols: 200, count: 30 });
    const rows = wildRows(1, 2, 200);
    const [x, r] = [rowOf(rows, 0), rowOf(rows, 1)];
    const players = Array.from({ length: 200 }, (_, c) => [c]);
    const small = treeSmallSubsets(trees, x, r, players, 2);
    const some = [[0], [199], [3, 150], [198, 199]];
    for (const members of some) {
      const hybrid = x.slice();
      for (const u of members) hybrid[u] = r[u]!;
      expect(small[smallSubsetIndex(200, members)]).toBe(predictTrees(trees, matrix(1, 200, hybrid))[0]);
    }
  });
});

function pairShapLaw(impl: typeof treePairShapInto): void {
  fc.assert(
    fc.property(seeds, fc.constantFrom(GROUPED, SINGLE.slice(0, 6)), (seed, players) => {
      const { trees, x, r } = pairOf(seed);
      const out = new Float64Array(players.length).fill(7);
      impl(trees, x, r, players, out);
      const wanted = byOrders(naiveCube(trees, x, r, players), players.length);
      for (const [u, phi] of wanted.entries()) expect(Math.abs(out[u]! - phi)).toBeLessThan(1e-12);
    }),
    { numRuns: 60 },
  );
}

describe("treePairShapInto", () => {
  test("is the mean over all orders, with groups, missing values and categories", () =>
    pairShapLaw(treePairShapInto));

  test.each(Object.keys(pairShapMutants))("refuses: %s", async (name) => {
    await refuses(() => pairShapLaw(pairShapMutants[name]!));
  });

  test("sums to the difference of the margins with 200 players", () => {
    const trees = wildForest(5, { cols: 200, count: 200, depth: 9 });
    const rows = wildRows(5, 2, 200);
    const players = Array.from({ length: 200 }, (_, c) => [c]);
    const out = new Float64Array(200);
    treePairShapInto(trees, rowOf(rows, 0), rowOf(rows, 1), players, out);
    const [fx, fr] = predictTrees(trees, rows);
    expect(out.reduce((sum, v) => sum + v, 0)).toBeCloseTo(fx! - fr!, 10);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { average, mostLikely, snap } from "../../src/compose/index.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Cost, Coupling, Schema } from "../../src/types.ts";

function coupling(entries: readonly (readonly [number, number, number])[], n: number, m: number): Coupling {
  return {
    name: "test",
    n,
    m,
    rows: Int32Array.from(entries, (e) => e[0]),
    cols: Int32Array.from(entries, (e) => e[1]),
    mass: Float64Array.from(entries, (e) => e[2]),
    cost: Number.NaN,
    gap: 0,
    converged: true,
    iterations: 0,
  };
}

describe("mostLikely", () => {
  const r = fromRows([
    [1, 10],
    [2, 20],
    [3, 30],
  ]);

  test("takes the largest conditional mass", () => {
    const q = mostLikely(
      coupling(
        [
          [0, 0, 0.1],
          [0, 2, 0.4],
          [1, 1, 0.5],
        ],
        2,
        3,
      ),
      r,
    );
    expect([...q.index]).toEqual([2, 1]);
    expect([...q.data]).toEqual([3, 30, 2, 20]);
  });

  test("ties go to the nearest if a cost is given, then to the smallest j", () => {
    const tied = coupling(
      [
        [0, 0, 0.25],
        [0, 1, 0.25 + 1e-14],
        [0, 2, 0.5 - 0.25],
      ],
      1,
      3,
    );
    expect([...mostLikely(tied, r).index]).toEqual([0]);
    const cost: Cost = {
      n: 1,
      m: 3,
      row: (_, out) => out.set([3, 2, 1]),
      dense: () => fromRows([[3, 2, 1]]),
    };
    expect([...mostLikely(tied, r, cost).index]).toEqual([2]);
  });

  test("a row without mass and another r are refused", () => {
    expect(() => mostLikely(coupling([[0, 0, 1]], 2, 3), r)).toThrow(/row 1/);
    expect(() => mostLikely(coupling([[0, 0, 1]], 1, 2), r)).toThrow(
      expect.objectContaining({ code: "INPUT_SHAPE" }),
    );
  });
});

describe("average", () => {
  test("is the weighted mean, and one reference is copied", () => {
    const r = fromRows([[0], [10]]);
    const q = average(
      coupling(
        [
          [0, 0, 0.125],
          [0, 1, 0.375],
          [1, 1, 0.5],
        ],
        2,
        2,
      ),
      r,
    );
    expect([...q.data]).toEqual([7.5, 10]);
  });

  test("categories take the weighted mode, ordinals the nearest level, integers the nearest whole number, gaps the majority", () => {
    const schema: Schema = {
      features: [
        { name: "c", kind: "categorical", categories: ["a", "b", "c"] },
        { name: "o", kind: "ordinal", categories: ["l", "m", "h"] },
        { name: "n", kind: "numeric" },
        { name: "i", kind: "integer" },
      ],
    };
    const r = fromRows([
      [2, 0, null, 1],
      [1, 2, null, 2],
      [1, 2, 4, 2],
    ]);
    const third = 1 / 3;
    const q = average(
      coupling(
        [
          [0, 0, third],
          [0, 1, third],
          [0, 2, third],
        ],
        1,
        3,
      ),
      r,
      schema,
    );
    expect([...q.data]).toEqual([1, 1, Number.NaN, 2]);
  });
});

test("law: a snapped proposal never breaks a constraint", () => {
  const schema: Schema = {
    features: [
      { name: "i", kind: "integer", min: 0, max: 5 },
      { name: "u", kind: "numeric", direction: "up" },
      { name: "f", kind: "numeric", immutable: true },
      { name: "d", kind: "numeric", derived: "i + u" },
    ],
  };
  const c = compileConstraints(schema);
  const row = fc.tuple(...Array.from({ length: 4 }, () => fc.double({ min: -9, max: 9, noNaN: true })));
  const law = (f: typeof snap): void =>
    fc.assert(
      fc.property(row, row, (a, b) => {
        const x = c.complete(fromRows([a]));
        const q = f(c, x, fromRows([b]));
        expect(c.violations(x.data, q.data)).toEqual([]);
      }),
      { numRuns: 200, seed: 4 },
    );
  law(snap);
  expect(() => law((_, __, q) => q)).toThrow();
});

import { expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { explain } from "../../src/explain.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { reachOf } from "../../src/model/target.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model, Schema, Trees } from "../../src/types.ts";
import { hardStudy } from "../support/exact-studies.ts";
import { networkStudy } from "../support/network-studies.ts";

const NUMBERS: Schema["features"] = ["a", "b", "c"].map((name) => ({ name, kind: "numeric" }));

function linear(weights: readonly number[]): Model {
  const own = Float64Array.from(weights);
  const margins = ({ data, rows, cols }: Matrix): Float64Array =>
    Float64Array.from({ length: rows }, (_, i) =>
      own.reduce((sum, w, k) => sum + w * data[i * cols + k]!, 0),
    );
  return {
    outputs: ["score"],
    predict: margins,
    structure: () => ({
      kind: "linear",
      intercept: 0,
      weights: own,
      link: "identity",
      kernels: linearKernels,
    }),
  };
}

/** How many tests [column, edge] a row passes: whether its number is at or above the edge. */
function counting(tests: readonly (readonly [column: number, edge: number])[], cols: number): Model {
  const forest: Trees = {
    kind: "trees",
    base: 0,
    link: "identity",
    roots: Int32Array.from(tests, (_, t) => 3 * t),
    feature: Int32Array.from(tests.flatMap(([k]) => [k, -1, -1])),
    threshold: Float64Array.from(tests.flatMap(([, edge]) => [edge, 0, 0])),
    left: Int32Array.from(tests.flatMap((_, t) => [3 * t + 1, -1, -1])),
    right: Int32Array.from(tests.flatMap((_, t) => [3 * t + 2, -1, -1])),
    value: Float64Array.from(tests.flatMap(() => [0, 0, 1])),
    flags: new Uint8Array(3 * tests.length),
    inclusive: false,
    float32: false,
    kernels: treeKernels,
  };
  return treeModel({ name: "forest", outputs: ["score"], cols, forests: [forest] });
}

/** Rows of as many decimals as doubles have. */
function continua(cols: number, scale: number): Matrix {
  const random = stream(1, "continua");
  return { data: Float64Array.from({ length: 60 * cols }, () => scale * random.next()), rows: 60, cols };
}

test("a set of values too close together to be told apart is not refuted", () => {
  // One edit will do: a = 10 − b, which boxes of values come as near to as they like.
  const schema = { features: NUMBERS, rules: ["a + b == 10 or c > 5"] };
  const constraints = compileConstraints(schema);
  const model = linear([1, 0, 0]);
  const reach = reachOf(model, { min: 4 });
  const table = continua(3, 9);
  const x = Float64Array.of(0.1234567, 5.7654321, 0);
  const one = Float64Array.of(10 - 5.7654321, 5.7654321, 0);
  expect([constraints.violations(x, one), one[0]! >= 4]).toEqual([[], true]);
  const plan = exactSearch({ model, constraints, reach, table })!.plan(x, { effort: 300_000 });
  expect([plan.atLeast, plan.fewest && plan.features.length > 1]).toEqual([1, false]);
});

test("a number written in fewer digits takes its derived columns along", async () => {
  const features = [...NUMBERS, { name: "made", kind: "numeric", derived: "a / 3" } as const];
  const table = continua(4, 9);
  const schema = { features };
  const model = counting(
    [
      [0, 4.123456789123],
      [3, 1],
    ],
    4,
  );
  const x = compileConstraints(schema).complete({ data: Float64Array.of(1, 1, 1, 0), rows: 1, cols: 4 });
  const { rows } = await explain({
    model,
    schema,
    x,
    references: table,
    only: "plans",
    goal: { kind: "each", target: { min: 2 } },
  });
  expect(rows[0]!.edits.map(({ feature, to }) => [feature, to])).toEqual([["a", 4.12346]]);
});

test("a number written in fewer digits goes no farther than a plan may", async () => {
  const table = continua(3, 9);
  const input = {
    model: counting([[0, 4.123456789123]], 1),
    schema: { features: NUMBERS.slice(0, 1) },
    x: { data: Float64Array.of(1), rows: 1, cols: 1 },
    references: { data: table.data, rows: table.data.length, cols: 1 },
    only: "plans" as const,
    goal: { kind: "each" as const, target: { min: 1 } },
  };
  const free = (await explain(input)).rows[0]!;
  expect(free.edits[0]!.to).toBe(4.12346);
  const unit = free.distance.z / (4.12346 - 1);
  const maxDistance = unit * (4.1234568 - 1);
  const { edits, distance } = (await explain({ ...input, maxDistance })).rows[0]!;
  expect(distance.z).toBeLessThanOrEqual(maxDistance);
  expect(edits[0]!.to).toBeCloseTo(4.123456789123, 9);
});

test("from a code for a missing value the first number looked at is not the nearest", () => {
  const feature = { name: "a", kind: "integer", editMissing: true, missing: [99], min: 0, max: 20 } as const;
  const table = { data: Float64Array.from({ length: 21 }, (_, v) => v), rows: 21, cols: 1 };
  const constraints = compileConstraints({ features: [feature] });
  // 2 ≤ a < 50.
  const model = counting(
    [
      [0, 2],
      [0, 50],
    ],
    1,
  );
  const search = exactSearch({ model, constraints, reach: reachOf(model, { min: 1, max: 1 }), table })!;
  const { outcome, z } = search.plan(Float64Array.of(99), { within: (row) => Math.abs(99 - row[0]!) <= 85 });
  expect([outcome, z[0]! >= 14]).toEqual(["found", true]);
});

test("the menu of smallest sets is the same whether a front is asked for or not", () => {
  let longer = 0;
  const searched = [hardStudy(1), hardStudy(2), hardStudy(5), networkStudy(3), networkStudy(4)];
  for (const { question, rows, what } of searched) {
    const search = exactSearch(question);
    for (let i = 0; search && i < 6; i++) {
      const both = search.plan(rowOf(rows, i), { menu: true, front: 2 });
      expect(both.menu, what).toEqual(search.plan(rowOf(rows, i), { menu: true }).menu);
      expect(both.useless, what).toEqual(search.plan(rowOf(rows, i), { menu: true }).useless);
      if ((both.front?.length ?? 0) > 1) longer++;
    }
  }
  expect(longer).toBeGreaterThan(3);
});

test("a plan that leads to a code for a missing value has no range of numbers", () => {
  const feature = { name: "a", kind: "integer", editMissing: true, missing: [99], min: 0, max: 20 } as const;
  const table = { data: Float64Array.from({ length: 21 }, (_, v) => v), rows: 21, cols: 1 };
  const constraints = compileConstraints({ features: [feature] });
  const model = linear([1]);
  const search = exactSearch({ model, constraints, reach: reachOf(model, { min: 50 }), table })!;
  const { z, ranges } = search.plan(Float64Array.of(3));
  expect([z[0], ranges]).toEqual([99, []]);
});

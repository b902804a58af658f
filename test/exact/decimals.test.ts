import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { columnsOf } from "../../src/exact/columns.ts";
import type { ExactPlan } from "../../src/exact/plan.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { reachOf } from "../../src/model/target.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { matrix, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { loadModel } from "../../src/read/load.ts";
import { domainsOf } from "../../src/run/domains.ts";
import type { Feature, Model, Target } from "../../src/types.ts";
import { checkRanges } from "../support/exact-ranges.ts";
import { smoothFitted } from "../support/smooth-studies.ts";

/** A tree that grants beyond one edge. */
function tree(edge: number): Model {
  const forest = {
    kind: "trees",
    kernels: treeKernels,
    base: 0,
    link: "identity",
    roots: Int32Array.of(0),
    feature: Int32Array.of(0, -1, -1),
    threshold: Float64Array.of(edge, 0, 0),
    left: Int32Array.of(1, 0, 0),
    right: Int32Array.of(2, 0, 0),
    value: Float64Array.of(0, 0.1, 0.9),
    flags: new Uint8Array(3),
    inclusive: true,
    float32: false,
    categoryStart: Int32Array.of(0, 0, 0, 0),
    categoryWords: new Uint32Array(0),
  } as const;
  return treeModel({ name: "forest", outputs: ["no", "yes"], cols: 1, forests: [forest] });
}

/** The written plan of the first of these values of the one feature. */
function planOf(model: Model, target: Target, values: readonly number[], feature: Partial<Feature> = {}) {
  const constraints = compileConstraints({
    features: [{ name: "a", kind: "numeric", ...feature }] as Feature[],
  });
  const table = matrix(values.length, 1, Float64Array.from(values));
  const search = exactSearch({ model, constraints, reach: reachOf(model, target), table })!;
  const x = Float64Array.of(values[0]!);
  const plan: ExactPlan = search.plan(x, { effort: 1e6 });
  return search.written?.(plan, x) ?? plan;
}

describe("a number of many decimals moves at most a thousandth farther than it needs", () => {
  test.each([
    [1000.000123456, 1000.00013],
    [123456.7890123, 123456.79],
    [1e6 + 0.1234567, 1e6 + 0.2],
    [1.7e9 + 0.123456, 1.7e9 + 0.5],
    [0.000012345678, 0.000012345999],
  ])("from %d beyond %d", (x, edge) => {
    const plan = planOf(tree(edge), { class: 1 }, [x, x - 50.1234567, x + 100.7654321, x + 51.1234567]);
    expect(plan).toMatchObject({ outcome: "found", fewest: true, least: true });
    const move = plan.z[0]! - x;
    expect(move).toBeGreaterThanOrEqual(edge - x);
    // A float of these sizes is that far from its neighbours.
    expect(move).toBeLessThanOrEqual((edge - x) * 1.0011 + 4 * Number.EPSILON * x);
  });
});

describe("a linear score as low as that is reached with the least change", () => {
  const [weight, x] = [0.37, -30.123456789];
  const model = loadModel({
    type: "logistic",
    version: 1,
    outputs: ["ok", "fraud"],
    link: "logistic",
    cols: 1,
    weights: [weight],
    intercepts: [0],
  });
  test.each([1e-5, 1e-6, 3e-7, 2.5e-7])("%d", (max) => {
    const plan = planOf(model, { output: 1, max }, [x, -70.7654321234, -10.1234567891, -20.5, -33.3]);
    expect(plan).toMatchObject({ outcome: "found", fewest: true, least: true });
    const least = Math.log(max / (1 - max)) / weight - x;
    expect((plan.z[0]! - x) / least).toBeGreaterThanOrEqual(1 - 1e-9);
    expect((plan.z[0]! - x) / least).toBeLessThanOrEqual(1.001);
  });
  test("the end of a column is tried where what is known to be enough lies beyond it", () => {
    const [needed, max] = [Math.log(1e-6 / (1 - 1e-6)) / weight, 1e-6];
    const end = needed - 0.01;
    const plan = planOf(model, { output: 1, max }, [x, end, -20.5]);
    expect(plan).toMatchObject({ outcome: "found", fewest: true });
    expect(plan.z[0]!).toBeGreaterThanOrEqual(end);
  });
});

test("a score far below what its own rounding may be is reached in the fewest steps", () => {
  const weights = [-3.4e-9];
  const model = loadModel({
    ...{ type: "linear", version: 1, outputs: ["score"], link: "identity", cols: 1 },
    ...{ weights, intercepts: [2.8e-9] },
  });
  const plan = planOf(model, { max: 4.1e-9 }, [-2, -1.5, 2], { step: 0.1 });
  expect(plan).toMatchObject({ outcome: "found", fewest: true, least: true });
  expect(plan.z[0]).toBe(-0.3);
});

test.each([
  [1e14, 0.01],
  [1e9, 1e-10],
  [1e300, 1],
])("values of about %d in steps of %d, closer than numbers can be, end the search", (scale, step) => {
  const plan = planOf(tree(4.3 * scale), { class: 1 }, [2 * scale, scale, 5 * scale, 6.1 * scale], { step });
  expect(plan).toMatchObject({ outcome: "found", features: [0] });
  expect(plan.z[0]! / scale).toBeCloseTo(4.3, 9);
});

test("plans are written within their ranges: rules hold, the target is reached, and so do all rows of the ranges; other plans too are numbers as they are shown", () => {
  let [ruled, numbers, short] = [0, 0, 0];
  for (let seed = 0; seed < 90; seed++) {
    const study = smoothFitted(seed);
    const { constraints, model, reach } = study;
    const search = exactSearch(study.question)!;
    for (const i of [0, 1, 2, 3]) {
      const x = rowOf(study.rows, i);
      const plan = search.plan(x, { menu: true, front: 1 });
      if (plan.outcome !== "found" || plan.ranges.length === 0) continue;
      const own = search.written(plan, x);
      checkRanges(study, x, own, study.what);
      if (constraints.hasRules) ruled++;
      for (const { z } of [own, ...own.menu!, ...own.front!]) {
        expect(constraints.violations(x, z), study.what).toEqual([]);
        const scores = reach.outputs.map((o) => model.predict(matrix(1, z.length, z), o) as Float64Array);
        expect(reach.reached(reach.slack(scores, 0)), study.what).toBe(true);
        const moved = Array.from(z).filter((v, k) => v !== x[k] && !constraints.schema.features[k]!.derived);
        numbers += moved.length;
        short += moved.filter((v) => Number(v.toPrecision(6)) === v).length;
      }
    }
  }
  expect(ruled).toBeGreaterThan(20);
  expect(short / numbers).toBeGreaterThan(0.95);
  if (process.env["COLA_SOAK"] === "1")
    process.stdout.write(`${short} of ${numbers} numbers in six digits\n`);
});

test("ranges under rules end where their cells do, to the last digit", () => {
  const constraints = compileConstraints({ features: [{ name: "a", kind: "numeric" }], rules: ["a > -10"] });
  const random = stream(1, "ends of cells");
  for (let t = 0; t < 60; t++) {
    const [edge, end] = [1 + random.next(), 3 + random.next()];
    const table = matrix(3, 1, Float64Array.of(random.next(), 2.5 + random.next() / 9, end));
    const model = tree(edge);
    const search = exactSearch({ model, constraints, reach: reachOf(model, { class: 1 }), table })!;
    const { z, ranges } = search.plan(rowOf(table, 0));
    expect(z[0]).toBeGreaterThan(edge);
    expect(ranges).toEqual([{ feature: 0, from: z[0], to: end, open: true }]);
  }
});

test("values a proof speaks of end at codes for missing values, as legal ones do", () => {
  const constraints = compileConstraints({ features: [{ name: "a", kind: "integer", missing: [-9, 99] }] });
  const table = matrix(5, 1, Float64Array.of(-9, -40, 3, 99, 120));
  const [domain] = domainsOf({ constraints, columns: () => columnsOf(constraints, table) });
  expect(domain!.from).toBeCloseTo(-9, 9);
  expect(domain!.to).toBeCloseTo(99, 9);
  expect([domain!.from > -9, domain!.to < 99]).toEqual([true, true]);
});

import { expect, test, vi } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { MOST_SETS, OpenSets } from "../../src/exact/open-sets.ts";
import type { ExactOptions, ExactPlan, ExactSearch } from "../../src/exact/plan.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { reachOf } from "../../src/model/target.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitForest } from "../../src/train/forest.ts";
import type { Matrix, Model, Trees } from "../../src/types.ts";
import { checkRanges } from "../support/exact-ranges.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";
import { networkStudy, smoothStudy } from "../support/network-studies.ts";

const SOAK = process.env["COLA_SOAK"] === "1";
const STUDIES = SOAK ? 1200 : 80;
if (SOAK) vi.setConfig({ testTimeout: 7_200_000 });

/** Sets and boxes kept at a time, where a search may keep millions. */
const FEW = [2, 3, 5, 9, 30];

function* studies(): Generator<SmallStudy> {
  for (let seed = 0; seed < STUDIES; seed++) {
    yield hardStudy(seed);
    yield smallStudy(20_000 + seed);
    if (seed % 2 === 0) yield networkStudy(seed);
    if (seed % 4 === 1) yield smoothStudy(seed);
  }
}

const reaches = ({ model, reach, minMargin }: SmallStudy, row: Float64Array): boolean => {
  const matrix = { data: row, rows: 1, cols: row.length };
  const scores = reach.outputs.map((o) => model.predict(matrix, o) as Float64Array);
  return reach.reached(reach.slack(scores, 0), minMargin);
};

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 + 1e-3 * b;

test("of sets those are kept that promise most, and no more than may be", () => {
  const random = stream(7, "sets");
  for (let round = 0; round < 300; round++) {
    const [size, keep, count] = [1 + random.int(5), 2 + random.int(40), random.int(200)];
    const options = round % 9 === 0 ? 70_000 : 50;
    const kept = new OpenSets(size, options, keep);
    const all = Array.from({ length: count }, (_, seq) => ({
      seq,
      most: random.int(round % 2 ? 6 : 1000) - 3,
      set: Array.from({ length: size }, () => random.int(options)),
    }));
    for (const { most, set } of all) {
      if (size > 1 && round % 3 === 0) kept.push(most, set.slice(0, -1), set.at(-1));
      else kept.push(most, set);
      expect(kept.count).toBeLessThanOrEqual(keep);
    }
    const order = all.toSorted((a, b) => b.most - a.most || a.seq - b.seq);
    expect(kept.whole).toBe(count <= keep);
    expect(kept.count).toBeGreaterThanOrEqual(Math.min(count, keep >> 1));
    const told = Array.from({ length: kept.count }, (_, t) => kept.at(t));
    expect(told).toEqual(order.slice(0, kept.count).map(({ set }) => set));
    const met = new Set(all.flatMap(({ set }) => set));
    expect([...kept.met.keys()].filter((o) => kept.met[o])).toEqual([...met].sort((a, b) => a - b));
  }
});

test("where nothing is said of it, millions of sets are kept and no more", () => {
  const sets = new OpenSets(2, 8);
  for (let t = 0; t < MOST_SETS + 2; t++) sets.push(-t, [t & 3, 4 + (t & 3)]);
  expect([sets.whole, sets.count, sets.at(0)]).toEqual([false, MOST_SETS / 2, [0, 4]]);
}, 300_000);

const familyOf = ({ what }: SmallStudy): "linear" | "network" | "trees" =>
  /logistic|svm/.test(what) ? "linear" : /network/.test(what) ? "network" : "trees";

const keysOf = ({ menu = [] }: ExactPlan): string[] => menu.map(({ features }) => features.join(" ")).sort();

const ASKED: readonly ExactOptions[] = [
  {},
  { menu: true },
  { front: 1 },
  { objective: "cost" },
  { objective: "change" },
];

test("a search that may keep little says nothing that one which keeps all denies, and its plans are plans", () => {
  const short = { linear: 0, network: 0, trees: 0 };
  const open = { ...short };
  for (const study of studies()) {
    const search = exactSearch(study.question);
    if (!search) continue;
    const x = rowOf(study.rows, 1);
    for (const asked of ASKED) {
      const all = search.plan(x, asked);
      if (all.features.length === 0 && all.outcome === "found") continue;
      expect(search.plan(x, { ...asked, keep: 1e5 }), study.what).toEqual(all);
      for (const keep of FEW) {
        const what = `${study.what}, ${JSON.stringify(asked)}, ${keep} kept`;
        const plan = search.plan(x, { ...asked, keep });
        expect(search.plan(x, { ...asked, keep }), what).toEqual(plan);
        if (plan.outcome === "none") expect(all.outcome, what).toBe("none");
        if (all.outcome !== "found") continue;
        if (all.fewest) expect(plan.atLeast, what).toBeLessThanOrEqual(all.features.length);
        if (plan.outcome === "open") open[familyOf(study)]++;
        if (plan.outcome === "open") continue;
        expect(study.constraints.violations(x, plan.z), what).toEqual([]);
        expect(reaches(study, plan.z), what).toBe(true);
        for (const { z } of plan.menu ?? []) expect(reaches(study, z), what).toBe(true);
        if (plan.fewest) expect(plan.features.length, what).toBe(all.features.length);
        for (const k of plan.useless) expect(all.useless, what).toContain(k);
        for (const point of plan.front ?? []) {
          const { change } = all.front!.findLast(({ edits }) => edits <= point.edits)!;
          if (point.least) expect(near(point.change, change), what).toBe(true);
        }
        if (plan.least) {
          expect(near(plan.change, all.change), what).toBe(true);
          expect(keysOf(plan), what).toEqual(keysOf(all));
          if (asked.objective === "cost") expect(plan.cost, what).toBeCloseTo(all.cost!, 6);
        } else if (all.least) short[familyOf(study)]++;
      }
    }
  }
  // Each of the searches met its end, with a plan and without.
  expect(Math.min(short.trees / 8, short.linear / 2, 2 * short.network)).toBeGreaterThan(STUDIES / 4);
  expect(Math.min(8 * open.trees, open.network)).toBeGreaterThan(STUDIES / 2);
}, 300_000);

/** How many columns are at or above their edge: column k at k + 1. */
function counted(cols: number, structure: "trees" | "linear"): { search: ExactSearch; x: Float64Array } {
  const features = Array.from({ length: cols }, (_, k) => ({
    ...{ name: `f${k}`, kind: "integer" as const, min: 0, max: k + 1 },
  }));
  const constraints = compileConstraints({ features });
  const all = Array.from({ length: cols }, (_, k) => k);
  const forest: Trees = {
    kind: "trees",
    base: 0,
    link: "identity",
    roots: Int32Array.from(all, (t) => 3 * t),
    feature: Int32Array.from(all.flatMap((k) => [k, -1, -1])),
    threshold: Float64Array.from(all.flatMap((k) => [k + 1, 0, 0])),
    left: Int32Array.from(all.flatMap((t) => [3 * t + 1, -1, -1])),
    right: Int32Array.from(all.flatMap((t) => [3 * t + 2, -1, -1])),
    value: Float64Array.from(all.flatMap(() => [0, 0, 1])),
    flags: new Uint8Array(3 * cols),
    inclusive: false,
    float32: false,
    kernels: treeKernels,
  };
  const weights = Float64Array.from(all, (k) => 1 / (k + 1));
  const predict = ({ data, rows }: Matrix): Float64Array =>
    Float64Array.from({ length: rows }, (_, i) =>
      all.reduce((sum, k) => sum + weights[k]! * data[i * cols + k]!, 0),
    );
  const linear: Model = {
    outputs: ["score"],
    predict,
    structure: () => ({ kind: "linear", intercept: 0, weights, link: "identity", kernels: linearKernels }),
  };
  const model =
    structure === "linear"
      ? linear
      : treeModel({ name: "forest", outputs: ["score"], cols, forests: [forest] });
  const table = {
    data: Float64Array.from([...all, ...all], (k, t) => (t < cols ? 0 : k + 1)),
    rows: 2,
    cols,
  };
  const reach = reachOf(model, { min: 1.9 });
  return { search: exactSearch({ model, constraints, reach, table })!, x: new Float64Array(cols) };
}

test("a plan of sets left out may be proven all the same, and their features are of use", () => {
  // Any two of twelve features will do; a plan of the first two rules out all others by their change.
  const { search, x } = counted(12, "trees");
  const all = search.plan(x);
  expect(all).toMatchObject({ fewest: true, least: true, features: [0, 1], useless: [] });
  const { effort, ...plan } = search.plan(x, { keep: 20 });
  expect(all).toMatchObject(plan);
  expect(effort).toBeGreaterThan(0);
});

test.each(["trees", "linear"] as const)("a menu has no more sets than may be kept: %s", (structure) => {
  const { search, x } = counted(12, structure);
  const { menu: all = [] } = search.plan(x, { menu: true });
  expect(all.length).toBe(66);
  const keep = structure === "trees" ? 160 : 10;
  const { menu = [], fewest, least } = search.plan(x, { menu: true, keep });
  expect([menu.length, fewest, least]).toEqual([11, true, false]);
  const keys = all.map(({ features }) => features.join());
  for (const { features } of menu) expect(keys).toContain(features.join());
});

test("a row with more sets than may be kept has a plan still, and what is known of the fewest edits", () => {
  const random = stream(1, "wide rows");
  const cols = 18;
  const rows = { data: Float64Array.from({ length: 400 * cols }, () => random.int(40)), rows: 400, cols };
  const labels = Int32Array.from({ length: rows.rows }, (_, i) => {
    const at = (k: number): number => (rows.data[i * cols + (k % cols)]! - 20) / 12;
    let sum = random.normal() * 2;
    for (let k = 0; k < cols; k++) sum += at(k) * (k % 2 ? 1 : -1) * at(k + 5);
    return sum > 3 ? 1 : 0;
  });
  const model = fitForest(rows, labels, { trees: 40, maxDepth: 6 }, 1);
  const features = Array.from({ length: cols }, (_, k) => ({ name: `f${k}`, kind: "integer" as const }));
  const constraints = compileConstraints({ features });
  const target = { output: 1, min: 0.8 };
  const search = exactSearch({ model, constraints, reach: reachOf(model, target), table: rows })!;
  const x = rowOf(rows, 0);
  // Seven edits are the fewest, which is known where 20,000 sets are kept, and not where 100 are.
  for (const [keep, fewest] of [
    [20_000, true],
    [100, false],
  ] as const) {
    const plan = search.plan(x, { keep });
    expect(plan).toMatchObject({ outcome: "found", fewest, least: false });
    expect(plan.atLeast).toBeLessThanOrEqual(7);
    expect(plan.features.length >= 7).toBe(true);
    expect(plan.features.length === 7 || !plan.fewest).toBe(true);
    expect(model.predict({ data: plan.z, rows: 1, cols }, 1)[0]).toBeGreaterThanOrEqual(0.8);
    expect(constraints.violations(x, plan.z)).toEqual([]);
  }
}, 300_000);

test("wherever the effort ends, claims and ranges hold, and later searches find what they would", () => {
  let [ended, ranged] = [0, 0];
  for (const study of studies()) {
    const search = exactSearch(study.question);
    if (!search) continue;
    const x = rowOf(study.rows, 1);
    const all = search.plan(x);
    for (let t = 1; t <= 40; t++) {
      const what = `${study.what}, ${t} of 40`;
      const plan = search.plan(x, { effort: Math.max(1, (all.effort * t) / 40) });
      expect(search.plan(x), what).toEqual(all);
      if (all.fewest) expect(plan.atLeast, what).toBeLessThanOrEqual(all.features.length);
      if (plan.outcome !== "found" || plan.least || plan.features.length === 0) continue;
      ended++;
      if (plan.fewest) expect(plan.features.length, what).toBe(all.features.length);
      ranged += checkRanges(study, x, plan, what);
    }
  }
  expect(Math.min(ended, ranged)).toBeGreaterThan(STUDIES);
}, 300_000);

import { expect, test, vi } from "vitest";
import type { ExactOptions, ExactPlan } from "../../src/exact/plan.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { rowOf, sameValue } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { everyPlan, legalValues } from "../support/exact-brute.ts";
import { checkRanges } from "../support/exact-ranges.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";

const SOAK = process.env["COLA_SOAK"] === "1";
const STUDIES = SOAK ? 1500 : 60;
if (SOAK) vi.setConfig({ testTimeout: 7_200_000 });

type Plans = NonNullable<ReturnType<typeof everyPlan>>;

const studies = function* (): Generator<SmallStudy> {
  for (let seed = 0; seed < STUDIES; seed++)
    yield seed % 4 === 3 ? hardStudy(seed) : smallStudy(10_000 + seed);
};

/** Two rows of each study with a plan, and all plans that brute force finds for them. */
function compare(
  options: (study: SmallStudy, x: Float64Array) => ExactOptions,
  check: (told: ExactPlan, plans: Plans, what: string, study: SmallStudy, x: Float64Array) => void,
  pose: (study: SmallStudy) => Partial<SmallStudy["question"]> = () => ({}),
  change?: (study: SmallStudy) => (k: number, from: number, to: number) => number,
): number {
  let compared = 0;
  for (const study of studies()) {
    const search = exactSearch({ ...study.question, ...pose(study) });
    if (!search) continue;
    for (const i of [0, 1]) {
      const x = rowOf(study.rows, i);
      const asked = options(study, x);
      const plans = everyPlan(study, x, {
        most: 20_000,
        ...(asked.among ? { among: asked.among } : {}),
        ...(change ? { change: change(study) } : {}),
      });
      if (!plans || plans.some(({ moved }) => moved.length === 0)) continue;
      const what = `${study.what}, row ${i}`;
      const told = search.plan(x, asked);
      expect(told.outcome, what).toBe(plans.length > 0 ? "found" : "none");
      if (plans.length === 0) continue;
      compared++;
      check(told, plans, what, study, x);
      const own = plans.find(({ z }) => z.every((v, k) => sameValue(v, told.z[k]!)));
      expect(own, `${what}: ${told.z.join(" ")} is a plan`).toBeDefined();
      expect(own!.change, what).toBeCloseTo(told.change, 9);
    }
  }
  return compared;
}

/** Equal within 0.1 %. */
function expectAlike(told: number, seen: number, what: string): void {
  expect(Math.abs(told - seen), `${what}: ${told} against ${seen}`).toBeLessThanOrEqual(1e-9 + 1e-3 * seen);
}

const least = (plans: Plans): number => Math.min(...plans.map(({ change }) => change));

test("objective change: no row at the target changes less, with any number of edits", () => {
  const compared = compare(
    () => ({ objective: "change" }),
    (told, plans, what) => {
      expect(told.least, what).toBe(true);
      expectAlike(told.change, least(plans), what);
    },
  );
  expect(compared).toBeGreaterThan(STUDIES / 3);
});

test("objective cost: no edits cost less, and none of the same cost change less", () => {
  const compared = compare(
    () => ({ objective: "cost" }),
    (told, plans, what, study) => {
      const costOf = (moved: readonly number[]): number =>
        moved.reduce((sum, k) => sum + (study.constraints.schema.features[k]!.cost ?? 1), 0);
      const cheapest = Math.min(...plans.map(({ moved }) => costOf(moved)));
      expect(told.cheapest, what).toBe(true);
      expect(told.cost, what).toBeCloseTo(cheapest, 6);
      expect(costOf(told.features), what).toBeCloseTo(cheapest, 6);
      expectAlike(told.change, least(plans.filter(({ moved }) => costOf(moved) < cheapest + 1e-6)), what);
    },
  );
  expect(compared).toBeGreaterThan(STUDIES / 3);
});

test("front: the least change of at most so many edits", () => {
  let longer = 0;
  compare(
    () => ({ front: 2 }),
    (told, plans, what) => {
      const { front = [] } = told;
      expect(front[0]?.edits, what).toBe(told.features.length);
      if (front.length > 1) longer++;
      for (let more = 0; more <= 2; more++) {
        const edits = told.features.length + more;
        const within = plans.filter(({ moved }) => moved.length <= edits);
        const point = front.findLast((one) => one.edits <= edits)!;
        expectAlike(point.change, least(within), `${what}, up to ${edits} edits`);
        expect(point.least, what).toBe(true);
      }
    },
  );
  expect(longer).toBeGreaterThan(STUDIES / 40);
});

test("values of a list alone, at most so many edits, and ranges of all values that keep the target", () => {
  const random = stream(3, "among");
  let ranged = 0;
  compare(
    (study, x) => ({
      among: Array.from(x, (v, k) =>
        random.next() < 0.3 ? undefined : legalValues(study, k, v).filter(() => random.next() < 0.4),
      ),
    }),
    (told, plans, what, study, x) => {
      const fewest = Math.min(...plans.map(({ moved }) => moved.length));
      expect(told.features.length, what).toBe(fewest);
      expectAlike(told.change, least(plans.filter(({ moved }) => moved.length === fewest)), what);
      ranged += checkRanges(study, x, told, what);
    },
  );
  expect(ranged).toBeGreaterThan(STUDIES);
});

/** The share of rows below v, half of those equal to it; straight between the values of the column. */
function shiftOf({ rows, constraints }: SmallStudy): (k: number, from: number, to: number) => number {
  return (k, from, to) => {
    const { kind, missing = [] } = constraints.schema.features[k]!;
    const gap = (v: number): boolean => Number.isNaN(v) || missing.includes(v);
    if (gap(from) || gap(to) || kind === "categorical" || kind === "boolean") return 1;
    const column = Array.from({ length: rows.rows }, (_, i) => rows.data[i * rows.cols + k]!).filter(
      (v) => !gap(v),
    );
    const at = (v: number): number =>
      (column.filter((w) => w < v).length + column.filter((w) => w === v).length / 2) / column.length;
    const rank = (v: number): number => {
      const below = Math.max(...column.filter((w) => w <= v));
      const above = Math.min(...column.filter((w) => w >= v));
      if (below === above) return at(v);
      if (!Number.isFinite(below)) return at(above);
      if (!Number.isFinite(above)) return at(below);
      return at(below) + ((v - below) / (above - below)) * (at(above) - at(below));
    };
    return Math.abs(rank(to) - rank(from));
  };
}

test("changes counted in shares of the table's rows", () => {
  const compared = compare(
    () => ({}),
    (told, plans, what) => {
      const fewest = Math.min(...plans.map(({ moved }) => moved.length));
      expect(told.features.length, what).toBe(fewest);
      expectAlike(told.change, least(plans.filter(({ moved }) => moved.length === fewest)), what);
    },
    () => ({ change: "percentile" }),
    shiftOf,
  );
  expect(compared).toBeGreaterThan(STUDIES / 3);
});

test("a row too far away ends a plan nowhere, and effort that runs out says at least", () => {
  let [nearer, cut] = [0, 0];
  for (const study of studies()) {
    const search = exactSearch(study.question);
    const x = rowOf(study.rows, 0);
    const plans = search && everyPlan(study, x, { most: 20_000 });
    if (!plans || plans.some(({ moved }) => moved.length === 0)) continue;
    const moved = (z: Float64Array): number =>
      z.reduce((sum, v, k) => sum + (sameValue(v, x[k]!) ? 0 : 1), 0);
    const within = (z: Float64Array): boolean => moved(z) <= 1;
    const single = plans.filter(({ z }) => within(z));
    const told = search.plan(x, { within });
    expect(told.outcome === "found", study.what).toBe(single.length > 0);
    if (single.length > 0) nearer++;
    const short = search.plan(x, { effort: 3 });
    if (short.outcome !== "open") continue;
    cut++;
    expect(short.fewest, study.what).toBe(false);
    for (const plan of plans) expect(plan.moved.length, study.what).toBeGreaterThanOrEqual(short.atLeast);
  }
  expect(Math.min(nearer, cut)).toBeGreaterThan(3);
});

test("a row too far away by a derived column alone does not hide the rows beyond it", () => {
  // made = f0 / f0 is missing where f0 is 0, and what it was where f0 is 2.
  const study = smallStudy(11_448);
  const x = rowOf(study.rows, 0);
  const within = (z: Float64Array): boolean => z.filter((v, k) => !sameValue(v, x[k]!)).length <= 1;
  const { outcome, z } = exactSearch(study.question)!.plan(x, { within });
  expect([outcome, z[0]]).toEqual(["found", 2]);
});

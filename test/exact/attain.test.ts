import { expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { Between, betweenOf } from "../../src/exact/between.ts";
import type { ExactStudy } from "../../src/exact/contract.ts";
import type { Asked, Found } from "../../src/exact/orthant.ts";
import { leafWay } from "../../src/exact/way.ts";
import { exactBy } from "../../src/model/exact.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { reachOf } from "../../src/model/target.ts";
import { leavesOf } from "../../src/model/trees/leaves.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitForest } from "../../src/train/forest.ts";
import { everyPlan } from "../support/exact-brute.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";

const STUDIES = process.env["COLA_SOAK"] === "1" ? 1500 : 150;

type Answer = Found | "none" | "open";

/** What is said of a row, by each way to the target: is there any plan? Undefined where the model is not a forest. */
function answersOf(small: SmallStudy): ((x: Float64Array) => Answer[]) | undefined {
  let study: ExactStudy | undefined;
  exactBy(small.question, (made) => {
    study = made;
    return undefined;
  });
  if (!study || study.ways.flat().some(({ parts }) => parts[0]!.structure.kind !== "trees")) return undefined;
  const { constraints, ways, reaches } = study;
  const rules = constraints.hasRules || constraints.hasDerived ? betweenOf(constraints) : undefined;
  const open = ways.map((way) => leafWay(study!, way, leavesOf(study!, way), rules));
  if (open.includes(undefined)) return undefined;
  return (x) => {
    const meter = { used: 0, limit: Number.POSITIVE_INFINITY, pulse: undefined, next: 0 };
    const asked: Asked = {
      accepts: (features, values) => {
        const z = filled(small, x, features, values);
        const row = { data: z, rows: 1, cols: z.length };
        return constraints.legal(row)[0] === 1 && reaches(z, x) ? "yes" : "no";
      },
      change: () => 0,
      between: rules && new Between(rules, x),
    };
    return open.map((way) => {
      way!.open(x, undefined, meter, asked);
      return way!.attain!(1e9);
    });
  };
}

function filled(
  { constraints }: SmallStudy,
  x: Float64Array,
  features: readonly number[],
  values: readonly number[],
) {
  const z = x.slice();
  features.forEach((k, q) => {
    z[k] = values[q]!;
  });
  return constraints.complete({ data: z, rows: 1, cols: z.length }).data;
}

test("whether any number of edits helps is what brute force over all legal rows says; plans are among them", () => {
  const told = { none: 0, found: 0, open: 0 };
  for (let seed = 0; seed < STUDIES; seed++) {
    for (const small of [smallStudy(seed), hardStudy(seed)]) {
      const answers = answersOf(small);
      const { hasRules, hasDerived } = small.constraints;
      for (let i = 0; answers && i < 3; i++) {
        const x = rowOf(small.rows, i);
        const plans = everyPlan(small, x, { most: 20_000 });
        if (!plans || plans.some(({ moved }) => moved.length === 0)) continue;
        const all = answers(x);
        const found = all.filter((answer) => typeof answer === "object");
        for (const { features, values } of found) {
          const z = filled(small, x, features, values);
          const own = small.constraints.violations(x, z);
          expect(own, small.what).toEqual([]);
          expect(plans.length, small.what).toBeGreaterThan(0);
        }
        if (all.every((answer) => answer === "none")) {
          expect(plans, small.what).toEqual([]);
          told.none++;
        } else if (found.length > 0) told.found++;
        else {
          // Only what the trees do not see may leave it open.
          expect(hasRules || hasDerived, small.what).toBe(true);
          told.open++;
        }
      }
    }
  }
  expect(told.none).toBeGreaterThan(STUDIES / 10);
  expect(told.found).toBeGreaterThan(STUDIES / 2);
  expect(told.open).toBeLessThan(told.none);
}, 600_000);

test("where the effort ends before the fewest edits are known, some plan is given, and what is known of the fewest", () => {
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
  const plan = search.plan(x, { effort: 8_000_000 });
  expect(plan).toMatchObject({ outcome: "found", fewest: false, least: false, atLeast: 7 });
  expect(model.predict({ data: plan.z, rows: 1, cols }, 1)[0]).toBeGreaterThanOrEqual(0.8);
  expect(constraints.violations(x, plan.z)).toEqual([]);
  const edited = Array.from(x.keys()).filter((k) => x[k] !== plan.z[k]);
  expect(plan.features).toEqual(edited);
  // No edit can be done without.
  for (const k of edited) {
    const score = (model.predict({ data: plan.z.with(k, x[k]!), rows: 1, cols }, 1) as Float64Array)[0]!;
    expect(score).toBeLessThan(0.8);
  }
  expect(search.plan(x, { effort: 8_000_000, maxEdits: edited.length - 1 }).outcome).toBe("open");
});

import { expect, test, vi } from "vitest";
import type { ExactPlan } from "../../src/exact/plan.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { reachOf } from "../../src/model/target.ts";
import { rowOf, sameValue } from "../../src/num/matrix.ts";
import { fitIsolation } from "../../src/train/isolation.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { legalValues } from "../support/exact-brute.ts";
import { hardStudy, type SmallStudy } from "../support/exact-studies.ts";

const STUDIES = process.env["COLA_SOAK"] === "1" ? 400 : 12;
if (process.env["COLA_SOAK"] === "1") vi.setConfig({ testTimeout: 7_200_000 });

/** Fewest edits and least change among all legal rows that `accepts`, by looking at every one. */
function brute(
  study: SmallStudy,
  x: Float64Array,
  accepts: (rows: Matrix) => boolean[],
): { readonly edits: number; readonly change: number } | undefined {
  const choices = Array.from(x, (v, k) => legalValues(study, k, v));
  let rows = [Array.from(x)];
  choices.forEach((values, k) => {
    rows = rows.flatMap((row) => values.map((v) => row.with(k, v)));
  });
  const fits = accepts({ data: Float64Array.from(rows.flat()), rows: rows.length, cols: x.length });
  let best: { readonly edits: number; readonly change: number } | undefined;
  rows.forEach((row, i) => {
    if (!fits[i]) return;
    const moved = row.map((v, k) =>
      sameValue(v, x[k]!) ? 0 : study.columns.weights[k]! * Math.abs(v - x[k]!),
    );
    const edits = moved.filter((size) => size > 0).length;
    const change = moved.reduce((sum, size) => sum + size, 0);
    if (!best || edits < best.edits || (edits === best.edits && change < best.change))
      best = { edits, change };
  });
  return best;
}

function same(plan: ExactPlan, told: ReturnType<typeof brute>, what: string): void {
  expect(plan.outcome, what).toBe(told ? "found" : "none");
  if (!told) return;
  expect(plan.features.length, what).toBe(told.edits);
  expect(plan.change, what).toBeCloseTo(told.change, 9);
}

/** A study of trees over whole numbers and the model of another over as many columns. */
function pair(seed: number): { readonly study: SmallStudy; readonly other: SmallStudy } | undefined {
  const study = hardStudy(seed);
  const isTrees = ({ what }: SmallStudy): boolean => !/logistic|svm/.test(what);
  if (!isTrees(study)) return undefined;
  for (let next = seed + 1; ; next++) {
    const other = hardStudy(next);
    if (isTrees(other) && other.rows.cols === study.rows.cols) return { study, other };
  }
}

const scores = (model: Model, rows: Matrix): Float64Array => model.predict(rows, 1) as Float64Array;

test("plans that several models accept are those of brute force, whatever encodings they have", () => {
  let [compared, more] = [0, 0];
  for (let seed = 0; seed < STUDIES; seed++) {
    const made = pair(seed);
    if (!made) continue;
    const { study, other } = made;
    const edge = scores(other.model, study.rows).toSorted()[80]!;
    const reach = reachOf(other.model, { output: 1, min: edge });
    const alone = exactSearch(study.question)!;
    const search = exactSearch({ ...study.question, also: [{ model: other.model, reach }] })!;
    for (const i of [0, 1]) {
      const x = rowOf(study.rows, i);
      const told = brute(study, x, (rows) => {
        const [own, others] = [scores(study.model, rows), scores(other.model, rows)];
        const { value } = study.reach.conditions![0]!;
        return Array.from(own, (score, r) => score >= value && others[r]! >= edge);
      });
      same(search.plan(x), told, `${study.what} and ${other.what}, row ${i}`);
      compared++;
      if (told && told.edits > alone.plan(x).features.length) more++;
    }
  }
  expect(compared).toBeGreaterThan(STUDIES / 2);
  // The other model asks for something.
  expect(more).toBeGreaterThan(compared / 10);
});

test("plans no odder than x are those of brute force", () => {
  let [compared, dearer] = [0, 0];
  for (let seed = 0; seed < STUDIES; seed++) {
    const study = hardStudy(seed);
    if (/logistic|svm/.test(study.what)) continue;
    const forest = fitIsolation(study.rows, { trees: 8, seed });
    const search = exactSearch({ ...study.question, usual: forest })!;
    const alone = exactSearch(study.question)!;
    for (const i of [0, 1]) {
      const x = rowOf(study.rows, i);
      const sums = (rows: Matrix): Float64Array => forest.kernels.margins(forest, rows);
      const own = sums({ data: x, rows: 1, cols: x.length })[0]!;
      const told = brute(study, x, (rows) => {
        const [fits, usual] = [scores(study.model, rows), sums(rows)];
        const { value } = study.reach.conditions![0]!;
        return Array.from(fits, (score, r) => score >= value && usual[r]! >= own - 5e-10);
      });
      same(search.plan(x), told, `${study.what}, row ${i}`);
      compared++;
      const free = alone.plan(x);
      if (!told || told.edits > free.features.length || told.change > free.change + 1e-9) dearer++;
    }
  }
  expect(compared).toBeGreaterThan(STUDIES);
  expect(dearer).toBeGreaterThan(compared / 10);
});

import { expect, test, vi } from "vitest";
import { exactSearch } from "../../src/model/exact-search.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { checkRanges, oneCellTooFar, oneCellTooNear } from "../support/exact-ranges.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";
import { networkStudy, smoothStudy } from "../support/network-studies.ts";
import { smoothFitted } from "../support/smooth-studies.ts";

const SOAK = process.env["COLA_SOAK"] === "1";
const STUDIES = SOAK ? 600 : 30;
if (SOAK) vi.setConfig({ testTimeout: 7_200_000 });

type Widen = typeof oneCellTooFar;
type Draw = (seed: number) => SmallStudy;

const asIs: Widen = (_study, _x, plan) => plan;

/** Of small studies few have ranges. Rows of the boxes of all certified ranges of the studies keep the target; returns how many ranges and rows. */
function rangesHold(draw: Draw, widen: Widen): { readonly ranges: number; readonly rows: number } {
  let [ranges, rows] = [0, 0];
  for (let seed = 0; seed < STUDIES * (draw === smallStudy ? 5 : 1); seed++) {
    const study = draw(seed);
    const search = exactSearch(study.question);
    if (!search) continue;
    for (const i of [0, 1, 2, 3]) {
      const x = rowOf(study.rows, i);
      const plan = search.plan(x);
      if (plan.outcome !== "found" || plan.ranges.length === 0) continue;
      ranges += plan.ranges.length;
      rows += checkRanges(study, x, widen(study, x, plan), `${study.what}, row ${i}`);
    }
  }
  return { ranges, rows };
}

const among =
  (model: RegExp): Draw =>
  (seed) => {
    for (let at = 6 * seed; ; at++) {
      const study = smoothFitted(at);
      if (model.test(study.what)) return study;
    }
  };

/** Ranges of trees and networks end where the target does; a linear model's have no other end than the legal one. */
const LAWS: readonly (readonly [string, Draw, readonly Widen[]])[] = [
  ["trees over any numbers", among(/forest|xgboost|gradboost|bagging/), [oneCellTooFar, oneCellTooNear]],
  ["linear models over any numbers", among(/logistic|svm/), [oneCellTooNear]],
  ["networks over any numbers", smoothStudy, [oneCellTooFar, oneCellTooNear]],
  ["steps, levels, gaps and rules", smallStudy, [oneCellTooFar, oneCellTooNear]],
  ["many whole numbers", hardStudy, [oneCellTooFar, oneCellTooNear]],
  ["networks over steps, levels and gaps", networkStudy, [oneCellTooFar, oneCellTooNear]],
];

test.each(LAWS)("every row drawn from a certified range keeps the target: %s", (name, draw, mutants) => {
  const { ranges, rows } = rangesHold(draw, asIs);
  expect(ranges).toBeGreaterThan(STUDIES / 5);
  if (SOAK) process.stdout.write(`${name}: ${ranges} certified ranges, ${rows} rows drawn\n`);
  for (const wrong of mutants) expect(() => rangesHold(draw, wrong), wrong.name).toThrow(/within the ranges/);
});

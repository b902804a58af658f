import { expect, test, vi } from "vitest";
import type { ExactPlan, ExactSearch } from "../../src/exact/plan.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { type BruteAnswer, bruteForce } from "../support/exact-brute.ts";
import { checkRanges } from "../support/exact-ranges.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";

const STUDIES = process.env["COLA_SOAK"] === "1" ? 3000 : 150;
if (process.env["COLA_SOAK"] === "1") vi.setConfig({ testTimeout: 7_200_000 });

/** Plans, menus and ranges of three rows of a study against brute force; returns how many rows were compared. */
function compare(study: SmallStudy, tally: Tally): void {
  const search = exactSearch(study.question);
  const linear = /logistic (standard|raw)|svm/.test(study.what);
  // A one-against-rest machine of three classes has no sums that tell its scores.
  if (!/svm \w+ 3/.test(study.what)) expect(search, study.what).toBeDefined();
  if (!search) return;
  for (const i of [0, 1, 2]) {
    const x = rowOf(study.rows, i);
    const brute = bruteForce(study, x);
    if (brute === "large") continue;
    const plan = search.plan(x);
    const what = `${study.what}, row ${i}: ${Array.from(x).join(" ")}`;
    tally.compared++;
    tally.sizes[brute?.edits ?? -1] = (tally.sizes[brute?.edits ?? -1] ?? 0) + 1;
    expect(plan.outcome, what).toBe(brute ? "found" : "none");
    if (!brute) continue;
    expect(plan.features.length, what).toBe(brute.edits);
    expect(plan.fewest && plan.least, what).toBe(true);
    const off = Math.abs(plan.change - brute.change);
    expect(off, what).toBeLessThanOrEqual(1e-9 + (linear ? 1e-3 : 0) * brute.change);
    expect(study.constraints.violations(x, plan.z), what).toEqual([]);
    if (brute.edits === 0) continue;
    tally.ranged += checkRanges(study, x, plan, what);
    checkMenu(search, x, plan, brute, linear ? 2 : 9, what);
  }
}

interface Tally {
  compared: number;
  ranged: number;
  readonly sizes: Record<number, number>;
}

function checkMenu(
  search: ExactSearch,
  x: Float64Array,
  plan: ExactPlan,
  brute: BruteAnswer,
  digits: number,
  what: string,
): void {
  const { menu = [], useless } = search.plan(x, { menu: true });
  const told = Object.fromEntries(menu.map((way) => [way.features.join(" "), way.change.toFixed(digits)]));
  const seen = Object.fromEntries([...brute.sets].map(([key, change]) => [key, change.toFixed(digits)]));
  expect(told, what).toEqual(seen);
  const useful = new Set([...brute.sets.keys()].flatMap((key) => key.split(" ").map(Number)));
  for (const k of [...plan.useless, ...useless]) expect(useful.has(k), `${what}: feature ${k}`).toBe(false);
}

const SAY = process.env["COLA_SOAK"] === "1";

test("fewest edits, least change, every smallest set and ranges are those of brute force over all legal values", () => {
  const tally: Tally = { compared: 0, ranged: 0, sizes: {} };
  for (let seed = 0; seed < STUDIES; seed++) compare(smallStudy(seed), tally);
  expect(tally.compared).toBeGreaterThan(STUDIES * 1.5);
  expect(tally.ranged).toBeGreaterThan(STUDIES);
  if (SAY) process.stdout.write(`exact studies: ${JSON.stringify(tally)}\n`);
});

test("the same where one edit is seldom enough and numbers have many values", () => {
  const tally: Tally = { compared: 0, ranged: 0, sizes: {} };
  for (let seed = 0; seed < STUDIES / 5; seed++) compare(hardStudy(seed), tally);
  expect((tally.sizes[2] ?? 0) + (tally.sizes[3] ?? 0)).toBeGreaterThan(STUDIES / 10);
  if (SAY) process.stdout.write(`hard exact studies: ${JSON.stringify(tally)}\n`);
});

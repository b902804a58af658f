import { expect } from "vitest";
import type { ExactPlan } from "../../src/exact/contract.ts";
import type { Matrix } from "../../src/types.ts";
import { legalValues } from "./exact-brute.ts";
import type { SmallStudy } from "./exact-studies.ts";

/** Every combination of legal values within the ranges keeps the target; returns how many rows were tried. */
export function checkRanges(
  study: SmallStudy,
  x: Float64Array,
  { z, ranges }: ExactPlan,
  what: string,
): number {
  let rows = [z];
  for (const { feature, from, to, open } of ranges) {
    const inside = (v: number): boolean => (from <= to ? v >= from && v <= to : v <= from && v >= to);
    const codes = study.constraints.schema.features[feature]!.missing ?? [];
    const legal = legalValues(study, feature, x[feature]!).filter(
      (v) => v !== x[feature]! && !codes.includes(v),
    );
    expect(inside(z[feature]!), what).toBe(true);
    const beyond = legal.filter((v) => (from > x[feature]! ? v > to : v < to));
    if (open && !Number.isNaN(x[feature]!)) expect(beyond, `${what}: beyond the range`).toEqual([]);
    rows = rows.flatMap((row) => legal.filter(inside).map((v) => row.with(feature, v))).slice(0, 500);
  }
  for (const row of rows) {
    const scores = study.reach.outputs.map((o) => study.model.predict(oneRow(row), o) as Float64Array);
    const slack = study.reach.slack(scores, 0);
    expect(
      study.reach.reached(slack, study.minMargin),
      `${what}: ${row.join(" ")} is within the ranges`,
    ).toBe(true);
  }
  return rows.length;
}

const oneRow = (data: Float64Array): Matrix => ({ data, rows: 1, cols: data.length });

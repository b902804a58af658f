import { expect } from "vitest";
import type { ExactPlan, SafeRange } from "../../src/exact/plan.ts";
import { stream } from "../../src/num/random.ts";
import { legalValues } from "./exact-brute.ts";
import type { SmallStudy } from "./exact-studies.ts";

/** Rows drawn from the box that the ranges of one plan span. */
const DRAWS = process.env["COLA_SOAK"] === "1" ? 10_000 : 300;

/**
 * Every row whose edited numbers are legal and within the ranges keeps the target: all of them where they are at most
 * DRAWS, else so many drawn, the ends of ranges more often than what lies between. Returns how many were looked at.
 */
export function checkRanges(
  study: SmallStudy,
  x: Float64Array,
  { z, ranges }: Pick<ExactPlan, "z" | "ranges">,
  what: string,
): number {
  const axes = ranges.map((range) => axisOf(study, x, z, range, what));
  const count = axes.reduce((product, axis) => product * (axis?.length ?? DRAWS + 1), 1);
  const rows = Math.min(count, DRAWS);
  const random = stream(1, "ranges", what);
  const data = new Float64Array(rows * z.length);
  for (let i = 0; i < rows; i++) {
    data.set(z, i * z.length);
    let rest = i;
    ranges.forEach(({ feature, from, to }, r) => {
      const axis = axes[r];
      const place = count <= DRAWS ? rest % axis!.length : random.int(axis?.length ?? 1);
      rest = Math.floor(rest / (axis?.length ?? 1));
      const part = random.next();
      const end = count > DRAWS && part < 0.4 ? (part < 0.3 ? to : from) : undefined;
      data[i * z.length + feature] = end ?? axis?.[place] ?? from + random.next() * (to - from);
    });
  }
  const { model, reach, minMargin, constraints } = study;
  const all = constraints.complete({ data, rows, cols: z.length });
  const legal = constraints.legal(all);
  const scores = reach.outputs.map((o) => model.predict(all, o) as Float64Array);
  for (let i = 0; i < rows; i++) {
    if (legal[i] === 1 && reach.reached(reach.slack(scores, i), minMargin)) continue;
    const row = all.data.slice(i * z.length, (i + 1) * z.length);
    expect.fail(`${what}: ${row.join(" ")} is within the ranges, and misses the target or breaks a rule`);
  }
  return rows;
}

/** The legal values of a range; undefined where numbers have any decimals. */
function axisOf(
  study: SmallStudy,
  x: Float64Array,
  z: Float64Array,
  { feature: k, from, to, open }: SafeRange,
  what: string,
): number[] | undefined {
  const inside = (v: number): boolean => (from <= to ? v >= from && v <= to : v <= from && v >= to);
  expect(inside(z[k]!), what).toBe(true);
  const { missing = [], step, allowed, kind } = study.constraints.schema.features[k]!;
  const any = kind === "numeric" && study.columns.decimals[k]! < 0 && step === undefined && !allowed;
  if (any) return undefined;
  const legal = legalValues(study, k, x[k]!).filter((v) => v !== x[k]! && !missing.includes(v));
  const beyond = legal.filter((v) => (from > x[k]! ? v > to : v < to));
  if (open && !Number.isNaN(x[k]!)) expect(beyond, `${what}: beyond the range`).toEqual([]);
  return legal.filter(inside);
}

type Plan = Pick<ExactPlan, "z" | "ranges">;

/** A wrong twin: every range goes on to the next legal value beyond its end, or a hundredth of the column. */
export function oneCellTooFar(study: SmallStudy, x: Float64Array, plan: Plan): Plan {
  return {
    ...plan,
    ranges: plan.ranges.map((range) => ({ ...range, to: nextTo(study, x, plan, range, "to") })),
  };
}

/** Another: every range begins at the legal value before its own. */
export function oneCellTooNear(study: SmallStudy, x: Float64Array, plan: Plan): Plan {
  const ranges = plan.ranges.map((range) => ({ ...range, from: nextTo(study, x, plan, range, "from") }));
  return { ...plan, ranges };
}

/** The legal value next to an end of a range, outside of it and not x itself; the end where there is none. */
function nextTo(
  study: SmallStudy,
  x: Float64Array,
  { z }: Plan,
  { feature: k, from, to, open }: SafeRange,
  end: "from" | "to",
): number {
  const own = end === "to" ? to : from;
  if (Number.isNaN(x[k]!) || (open && end === "to")) return own;
  const up = z[k]! > x[k]! === (end === "to");
  const { low, high, decimals } = study.columns;
  if (decimals[k]! < 0)
    return end === "to" ? own + (up ? 1 : -1) * 0.01 * (high[k]! - low[k]!) : own + 0.01 * (x[k]! - own);
  const legal = legalValues(study, k, x[k]!).filter((v) => (up ? v > own : v < own) && v !== x[k]!);
  const next = up ? Math.min(...legal) : Math.max(...legal);
  return Number.isFinite(next) && (next - x[k]!) * (z[k]! - x[k]!) > 0 ? next : own;
}

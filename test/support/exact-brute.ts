import { sameValue } from "../../src/num/matrix.ts";
import type { Feature } from "../../src/types.ts";
import type { SmallStudy } from "./exact-studies.ts";

export interface BruteAnswer {
  readonly edits: number;
  readonly change: number;
  /** Every set of as few features that has a plan, with its least change; features joined by a space. */
  readonly sets: ReadonlyMap<string, number>;
}

const gap = ({ missing = [] }: Feature, v: number): boolean => Number.isNaN(v) || missing.includes(v);

/** Values of feature k that x may have, by asking the constraints about every number of the column. */
export function legalValues({ constraints, columns }: SmallStudy, k: number, x: number): number[] {
  const feature = constraints.schema.features[k]!;
  const out = [x];
  const try_ = (v: number): void => {
    if (constraints.same(k, x, v) || !constraints.allows(k, x, v) || out.some((o) => sameValue(o, v))) return;
    const open = feature.kind === "numeric" || feature.kind === "integer";
    const low = feature.min ?? columns.low[k]!;
    const high = feature.max ?? columns.high[k]!;
    if (gap(feature, v) || !open || (v >= low && v <= high)) out.push(v);
  };
  try_(Number.NaN);
  for (let v = -8; v <= 8; v += feature.kind === "numeric" && columns.decimals[k]! > 0 ? 0.1 : 1)
    try_(Number(v.toFixed(1)));
  return out;
}

function changeOf({ constraints, columns }: SmallStudy, k: number, a: number, b: number): number {
  const { kind } = constraints.schema.features[k]!;
  const feature = constraints.schema.features[k]!;
  if (gap(feature, a) || gap(feature, b) || kind === "categorical" || kind === "boolean") return 1;
  return columns.weights[k]! * Math.abs(a - b);
}

/** A row at the target: the features that differ from x, and by how much. */
interface BrutePlan {
  readonly moved: readonly number[];
  readonly change: number;
  readonly z: Float64Array;
}

interface BruteOptions {
  readonly among?: readonly (ArrayLike<number> | undefined)[];
  readonly change?: (k: number, from: number, to: number) => number;
  readonly most?: number;
}

/** All legal rows that the model puts at the target; undefined where there are too many rows to look at. */
export function everyPlan(
  study: SmallStudy,
  x: Float64Array,
  { among, change, most = 60_000 }: BruteOptions = {},
): BrutePlan[] | undefined {
  const { model, reach, minMargin, constraints } = study;
  const measure = change ?? ((k: number, a: number, b: number) => changeOf(study, k, a, b));
  const choices = Array.from(x, (v, k) => {
    const own = among?.[k] && Array.from(among[k]);
    return legalValues(study, k, v).filter(
      (w) => sameValue(v, w) || !own || own.some((o) => sameValue(o, w)),
    );
  });
  const count = choices.reduce((product, list) => product * list.length, 1);
  if (count > most) return undefined;
  const d = x.length;
  const data = new Float64Array(count * d);
  for (let i = 0; i < count; i++) {
    let rest = i;
    for (let k = 0; k < d; k++) {
      data[i * d + k] = choices[k]![rest % choices[k]!.length]!;
      rest = Math.floor(rest / choices[k]!.length);
    }
  }
  const rows = constraints.complete({ data, rows: count, cols: d });
  const legal = constraints.legal(rows);
  const scores = reach.outputs.map((o) => model.predict(rows, o) as Float64Array);
  const plans: BrutePlan[] = [];
  for (let i = 0; i < count; i++) {
    if (!reach.reached(reach.slack(scores, i), minMargin)) continue;
    const moved = Array.from(x.keys()).filter(
      (k) => constraints.editable[k] && !sameValue(x[k]!, data[i * d + k]!),
    );
    if (moved.length > 0 && !legal[i]) continue;
    const sum = moved.reduce((total, k) => total + measure(k, x[k]!, data[i * d + k]!), 0);
    plans.push({ moved, change: sum, z: rows.data.subarray(i * d, (i + 1) * d) });
  }
  return plans;
}

/** Fewest edits, least change, every smallest set. Undefined: no row reaches. */
export function bruteForce(study: SmallStudy, x: Float64Array): BruteAnswer | undefined | "large" {
  const plans = everyPlan(study, x);
  if (!plans) return "large";
  const edits = Math.min(...plans.map(({ moved }) => moved.length));
  const sets = new Map<string, number>();
  for (const { moved, change } of plans) {
    if (moved.length > edits) continue;
    const key = moved.join(" ");
    sets.set(key, Math.min(change, sets.get(key) ?? Number.POSITIVE_INFINITY));
  }
  return sets.size === 0 ? undefined : { edits, change: Math.min(...sets.values()), sets };
}

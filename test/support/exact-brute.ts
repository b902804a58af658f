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

/** All legal rows scored by the model: fewest edits, least change, every smallest set. Undefined: none reaches. */
export function bruteForce(study: SmallStudy, x: Float64Array): BruteAnswer | undefined | "large" {
  const { model, reach, minMargin, constraints } = study;
  const choices = Array.from(x, (v, k) => legalValues(study, k, v));
  const count = choices.reduce((product, list) => product * list.length, 1);
  if (count > 60_000) return "large";
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
  let edits = Number.POSITIVE_INFINITY;
  let sets = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const moved = Array.from(x.keys()).filter(
      (k) => constraints.editable[k] && !sameValue(x[k]!, data[i * d + k]!),
    );
    if (moved.length > edits || (moved.length > 0 && !legal[i])) continue;
    if (!reach.reached(reach.slack(scores, i), minMargin)) continue;
    if (moved.length < edits) sets = new Map();
    edits = moved.length;
    const change = moved.reduce((sum, k) => sum + changeOf(study, k, x[k]!, data[i * d + k]!), 0);
    const key = moved.join(" ");
    sets.set(key, Math.min(change, sets.get(key) ?? Number.POSITIVE_INFINITY));
  }
  return sets.size === 0 ? undefined : { edits, change: Math.min(...sets.values()), sets };
}

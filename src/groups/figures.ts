import type { ExplainedRow } from "../explanation.ts";
import type { Gap, GroupFigures, Grouping, Measured, MeasureName } from "../group-audit.ts";
import { MEASURES } from "../group-audit.ts";
import { type Random, stream } from "../num/random.ts";
import { quantileSorted, wilson } from "../num/stats.ts";

/** Resamples of a group's rows, and groups drawn at random. */
export const DRAWS = 1000;

/** What is counted of one row. */
interface Counted {
  readonly edits: number;
  readonly change: number;
  readonly planned: boolean;
  readonly none: boolean;
}

const counted = ({ valid, edits, change, proof }: ExplainedRow): Counted => ({
  edits: edits.length,
  change: change ?? Number.NaN,
  planned: valid,
  none: !valid && proof?.claim === "none exists" && proof.scope === "model",
});

/** A row's part in a measure: NaN where it has none. */
const PARTS: Readonly<Record<MeasureName, (row: Counted) => number>> = {
  within1: ({ planned, edits }) => Number(planned && edits <= 1),
  within2: ({ planned, edits }) => Number(planned && edits <= 2),
  within3: ({ planned, edits }) => Number(planned && edits <= 3),
  none: ({ none }) => Number(none),
  edits: ({ planned, edits }) => (planned ? edits : Number.NaN),
  change: ({ planned, change }) => (planned ? change : Number.NaN),
};

/** Rows that were searched for a plan. */
export const isCounted = ({ status }: ExplainedRow): boolean => status === "ok" || status === "infeasible";

/** Rows from which on a mean has an interval: resamples of fewer say too little. */
const LEAST = 5;

const isShare = (name: MeasureName): boolean => name !== "edits" && name !== "change";

/** Figures of each group of an attribute, with intervals. */
export function figuresOf(rows: readonly ExplainedRow[], grouping: Grouping, seed: number): GroupFigures[] {
  return grouping.groups.map((group, g) => {
    const own = rows.filter((row, i) => grouping.of[i] === g && isCounted(row));
    const told = own.map(counted);
    const random = stream(seed, "groups", grouping.name, group);
    const draws = Array.from({ length: DRAWS }, () => picks(random, told.length));
    const measured = (name: MeasureName): Measured | null => {
      const parts = Float64Array.from(told, PARTS[name]);
      const value = meanOf(parts);
      if (Number.isNaN(value)) return null;
      if (isShare(name))
        return {
          value,
          ...wilson(
            parts.reduce((sum, part) => sum + part, 0),
            parts.length,
          ),
        };
      const there = parts.filter((part) => !Number.isNaN(part));
      if (there.length < LEAST || there.every((part) => part === value))
        return { value, low: null, high: null };
      const means = draws.map((at) => meanOf(parts, at)).filter((mean) => !Number.isNaN(mean));
      const sorted = Float64Array.from(means).sort();
      return { value, low: quantileSorted(sorted, 0.025), high: quantileSorted(sorted, 0.975) };
    };
    const figures = Object.fromEntries(MEASURES.map((name) => [name, measured(name)])) as Record<
      MeasureName,
      Measured | null
    >;
    return { group, rows: own.length, ...figures, features: changedBy(own) };
  });
}

const picks = (random: Random, n: number): Int32Array => Int32Array.from({ length: n }, () => random.int(n));

/** Mean of the parts that are there, of all rows or of those picked. */
function meanOf(parts: Float64Array, at?: Int32Array): number {
  let [sum, count] = [0, 0];
  const n = at?.length ?? parts.length;
  for (let t = 0; t < n; t++) {
    const part = parts[at ? at[t]! : t]!;
    if (Number.isNaN(part)) continue;
    sum += part;
    count++;
  }
  return sum / count;
}

const MOST_FEATURES = 4;

function changedBy(rows: readonly ExplainedRow[]): GroupFigures["features"] {
  const planned = rows.filter(({ valid, edits }) => valid && edits.length > 0);
  const counts = new Map<string, number>();
  for (const { edits } of planned)
    for (const { feature } of edits) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MOST_FEATURES)
    .map(([feature, count]) => ({ feature, share: count / planned.length }));
}

/** The largest gap of each attribute and measure, against groups of the same sizes drawn at random; most telling first. */
export function gapsOf(rows: readonly ExplainedRow[], groupings: readonly Grouping[], seed: number): Gap[] {
  const gaps = groupings.flatMap((grouping) => {
    const known = rows.flatMap((row, i) => (grouping.of[i]! >= 0 && isCounted(row) ? [i] : []));
    const told = known.map((i) => counted(rows[i]!));
    const own = Int32Array.from(known, (i) => grouping.of[i]!);
    const random = stream(seed, "gaps", grouping.name);
    const shuffles = Array.from({ length: DRAWS - 1 }, () => random.permutation(own.length));
    return MEASURES.flatMap((measure) => {
      const parts = Float64Array.from(told, PARTS[measure]);
      const seen = means(parts, own, grouping.groups.length);
      const there = [...seen.keys()].filter((g) => !Number.isNaN(seen[g]!));
      if (there.length < 2) return [];
      const most = there.reduce((a, b) => (seen[b]! > seen[a]! ? b : a));
      const least = there.reduce((a, b) => (seen[b]! < seen[a]! ? b : a));
      const difference = seen[most]! - seen[least]!;
      const asLarge = shuffles.filter((order) => {
        const drawn = means(parts, own, grouping.groups.length, order).filter((v) => !Number.isNaN(v));
        return Math.max(...drawn) - Math.min(...drawn) >= difference - 1e-12;
      }).length;
      const names = { most: grouping.groups[most]!, least: grouping.groups[least]! };
      return [{ attribute: grouping.name, measure, ...names, difference, p: (1 + asLarge) / DRAWS }];
    });
  });
  const order = gaps.map((_, i) => i).sort((a, b) => gaps[a]!.p - gaps[b]!.p || a - b);
  let top = 0;
  const holm = new Map(
    order.map((i, rank) => {
      top = Math.max(top, Math.min(1, (gaps.length - rank) * gaps[i]!.p));
      return [i, top];
    }),
  );
  return order.map((i) => ({ ...gaps[i]!, holm: holm.get(i)! }));
}

/** Mean of each group; `order` says whose group each row takes. */
function means(parts: Float64Array, own: Int32Array, count: number, order?: Int32Array): Float64Array {
  const [sums, counts] = [new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < parts.length; i++) {
    if (Number.isNaN(parts[i]!)) continue;
    const g = own[order ? order[i]! : i]!;
    sums[g]! += parts[i]!;
    counts[g]! += 1;
  }
  return sums.map((sum, g) => sum / counts[g]!);
}

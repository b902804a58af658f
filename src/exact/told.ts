import type { Constraints } from "../data/constraints.ts";
import { decodeCell, hasLevels } from "../data/schema.ts";
import { effectOf } from "../num/divergence.ts";
import type { Cell, Proof } from "../types.ts";
import type { ExactOptions, ExactPlan, LeverSet, SafeRange } from "./contract.ts";

/** A safe range in the words of the table. */
interface RangeInWords {
  readonly feature: string;
  readonly from: Cell;
  readonly to: Cell;
  readonly open: boolean;
  readonly known: "certified";
}

/** What is said of the plans of a search. It comes with the search, so that who explains functions need not load it. */
export interface Told {
  /** Rows between x and z: edited numbers on the way, levels as they are planned, everything else as in x. */
  between(x: Float64Array, z: Float64Array): ExactOptions;
  ranges(plan: ExactPlan): RangeInWords[];
  /** Names of features. */
  names(features: readonly number[]): string[];
  /** Up to `count` smallest sets of features beside the plan's own. */
  others(plan: ExactPlan, count: number): OtherSets;
  /** What is proven of a plan that was found, but for the values it speaks of. */
  claim(plan: ExactPlan, objective?: ExactOptions["objective"]): Omit<Proof, "scope"> | undefined;
  /** Does the plan found take the place of the one there is? */
  better(plan: ExactPlan, known: KnownPlan, objective?: ExactOptions["objective"]): boolean;
  curve: typeof curveOf;
}

/** A plan that there is already. */
interface KnownPlan extends CountedRow {
  readonly cost: number;
  readonly change: () => number;
}

interface OtherSets {
  readonly sets: readonly LeverSet[];
  /** These are all there are. */
  readonly all?: true;
  readonly fewer?: "none found";
}

export function toldBy(constraints: Constraints): Told {
  const { features } = constraints.schema;
  return {
    between: (x, z) => between(constraints, x, z),
    ranges: ({ ranges }) => ranges.map((range) => inWords(constraints, range)),
    names: (listed) => listed.map((k) => features[k]!.name),
    others,
    claim,
    better,
    curve: curveOf,
  };
}

function between(
  { schema: { features }, same }: Constraints,
  x: Float64Array,
  z: Float64Array,
): ExactOptions {
  const edited = features.map((_, k) => !same(k, x[k]!, z[k]!));
  return {
    objective: "change",
    among: features.map((feature, k) => {
      if (!edited[k]) return [];
      return hasLevels(feature) || Number.isNaN(x[k]! + z[k]!) ? [z[k]!] : undefined;
    }),
    within: (row) =>
      features.every((feature, k) => {
        if (feature.derived || Object.is(row[k], x[k]) || Object.is(row[k], z[k])) return true;
        return edited[k]! && (row[k]! - x[k]!) * (z[k]! - row[k]!) >= 0;
      }),
  };
}

function inWords({ schema }: Constraints, { feature: k, from, to, open }: SafeRange): RangeInWords {
  const feature = schema.features[k]!;
  return {
    feature: feature.name,
    from: decodeCell(feature, from),
    to: decodeCell(feature, to),
    open,
    known: "certified",
  };
}

function others({ menu = [], features, fewest, least }: ExactPlan, count: number): OtherSets {
  const own = features.join();
  const all = menu.filter((set) => set.features.join() !== own);
  const sets = all.slice(0, count);
  if (fewest && least && sets.length === all.length) return { sets, all: true };
  return { sets, ...(sets.length < count ? { fewer: "none found" } : {}) };
}

function claim(
  { fewest, least, cheapest, atLeast, features }: ExactPlan,
  objective: ExactOptions["objective"] = "edits",
): Omit<Proof, "scope"> | undefined {
  const edits = features.length;
  if (objective === "change") return least ? { claim: "optimal", edits, least: "change" } : undefined;
  const change = least ? ({ change: "least" } as const) : {};
  if (objective === "cost")
    return cheapest ? { claim: "optimal", edits, least: "cost", ...change } : undefined;
  if (fewest) return { claim: "optimal", edits, ...change };
  return atLeast > 1 ? { claim: "at least", edits: atLeast } : undefined;
}

function better(plan: ExactPlan, known: KnownPlan, objective: ExactOptions["objective"] = "edits"): boolean {
  if (!known.valid) return true;
  if (objective === "cost") return !!plan.cheapest || plan.cost! <= known.cost;
  if (objective === "change") return plan.least || plan.change <= known.change();
  return plan.features.length <= known.edits.length;
}

/** A row with its plan, as far as the curve counts it. */
interface CountedRow {
  readonly valid: boolean;
  readonly edits: readonly unknown[];
}

/** The share of rows short of the target after the plans of the first rows, smallest plans first. */
export function curveOf(rows: readonly CountedRow[]): { C: number; D: number; effect: number | null }[] {
  const sizes = rows
    .filter((row) => row.valid)
    .map((row) => row.edits.length)
    .sort((a, b) => a - b);
  const short = (edits: number): number => {
    let [left, done] = [edits, 0];
    for (const size of sizes) {
      if (size > left) break;
      left -= size;
      done++;
    }
    return (rows.length - done) / rows.length;
  };
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const start = short(0);
  return Array.from({ length: total + 1 }, (_, C) => ({ C, D: short(C), effect: effectOf(start, short(C)) }));
}

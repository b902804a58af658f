import type { Constraints } from "../data/constraints.ts";
import { decodeCell, hasLevels } from "../data/schema.ts";
import { effectOf } from "../num/divergence.ts";
import type { Proof } from "../types.ts";
import type {
  AskedBesides,
  Besides,
  CountedRow,
  ExactOptions,
  ExactPlan,
  Instead,
  KnownPlan,
  LeverSet,
  OtherPlans,
  ProvenRow,
  RangeInWords,
  SafeRange,
  Told,
} from "./plan.ts";

export function toldBy(constraints: Constraints): Told {
  const { features } = constraints.schema;
  return {
    between: (x, z) => between(constraints, x, z),
    ranges: ({ ranges }) => ranges.map((range) => inWords(constraints, range)),
    besides: (plan, asked) => besides(constraints, plan, asked),
    instead,
    tooOdd,
    claim,
    scope: ({ features: edited }, near, domains) => {
      if (near !== undefined) return { scope: "grid", near };
      const domain = domains.filter(({ feature }) => edited.some((k) => features[k]!.name === feature));
      return { scope: "model", ...(domain.length > 0 ? { domain } : {}) };
    },
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

function besides(
  constraints: Constraints,
  plan: ExactPlan,
  { players, alternatives, certified }: AskedBesides,
): Besides {
  const { useless, fewest, menu, front, features, ranges } = plan;
  const { features: all } = constraints.schema;
  const nothing = certified && fewest && useless.length > 0;
  const count = alternatives === "all" ? Number.POSITIVE_INFINITY : alternatives;
  return {
    ranges: ranges.map((range) => inWords(constraints, range)),
    ...(nothing ? { useless: { features: useless.map((k) => all[k]!.name), edits: features.length } } : {}),
    ...(menu ? { others: others(plan, menu, players, count) } : {}),
    ...(front ? { front } : {}),
  };
}

/** The other smallest sets of features with their plans of least change. */
function others(
  { features, fewest, least }: ExactPlan,
  menu: readonly LeverSet[],
  players: readonly number[],
  count: number,
): OtherPlans {
  const own = features.join();
  const all = menu.filter((set) => set.features.join() !== own);
  const plans = all.slice(0, count).map((set) => ({
    players: set.features.map((k) => players.indexOf(k)),
    reference: -1,
    slack: 0,
    z: set.z,
  }));
  if (fewest && least && plans.length === all.length) return { plans, all: true };
  return { plans, ...(plans.length < count ? { fewer: "none found" } : {}) };
}

function instead(
  { outcome, atLeast }: ExactPlan,
  { valid, edits, proof }: ProvenRow,
  limited: boolean,
): Instead | undefined {
  if (outcome === "found") return undefined;
  if (outcome === "none")
    return valid || limited
      ? undefined
      : {
          status: "infeasible",
          reason: "no permitted values reach the target.",
          proof: { claim: "none exists" },
        };
  const known = proof?.scope === "model" || atLeast < 2 || edits.length > atLeast;
  return valid && known ? undefined : { proof: { claim: valid ? "optimal" : "at least", edits: atLeast } };
}

function tooOdd<R extends CountedRow & { readonly before: number; readonly proof?: unknown }>(row: R) {
  const { proof: _, ...rest } = row;
  const nothing = { edits: [], after: row.before, slack: Number.NaN, valid: false, distance: 0, cost: 0 };
  const reason = "no plan that was found reaches the target and is no more unusual than the row itself.";
  return { ...rest, ...nothing, status: "infeasible", reference: -1, reason } as const;
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
  if (plan.outcome !== "found" || plan.features.length === 0) return false;
  if (!known.valid) return true;
  if (objective === "cost") return !!plan.cheapest || plan.cost! <= known.cost;
  if (objective === "change") return plan.least || plan.change <= known.change();
  return plan.features.length <= known.edits.length;
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

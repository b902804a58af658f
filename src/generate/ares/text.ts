import { labelOf, levelsOf } from "../../data/schema.ts";
import type { Feature, Schema } from "../../types.ts";
import type { Bins } from "../bins.ts";
import { countBits, hasBit } from "./bits.ts";
import type { Rule } from "./objective.ts";

/** A rule in words and numbers: plain JSON. */
export interface RuleReport {
  readonly text: string;
  /** For whom: empty for everyone. */
  readonly group: readonly string[];
  readonly where: readonly string[];
  readonly to: readonly string[];
  /** Affected rows it applies to, and how many of them it takes to the target. */
  readonly applies: number;
  readonly reaches: number;
  /** What it costs on average where it reaches the target; null where it never does. */
  readonly meanCost: number | null;
}

export function ruleReport(schema: Schema, bins: readonly Bins[], rule: Rule): RuleReport {
  const say = (k: number, bin: number): string => conditionText(schema.features[k]!, bins[k]!, bin);
  const { from, to, cost } = rule.change;
  const group = rule.group?.items.map(({ k, bin }) => say(k, bin)) ?? [];
  const where = from.items.map(({ k, bin }) => say(k, bin));
  const goal = from.items.map(({ k }, t) => say(k, to[t]!));
  const reaches = countBits(rule.reaches);
  let sum = 0;
  for (let i = 0; i < cost.length; i++) if (hasBit(rule.reaches, i)) sum += cost[i]!;
  return {
    text: `${group.length > 0 ? `For ${group.join(" and ")}: where` : "For everyone: where"} ${where.join(" and ")}, go to ${goal.join(" and ")}.`,
    group,
    where,
    to: goal,
    applies: countBits(rule.applies),
    reaches,
    meanCost: reaches > 0 ? sum / reaches : null,
  };
}

/** One bin in words: `Housing = own`, `Duration in [24, 30.8)`, `Age 40 to 45`. */
export function conditionText(feature: Feature, { count, low, width, levels }: Bins, bin: number): string {
  const name = labelOf(feature);
  if (levels) return `${name} = ${levelsOf(feature)[bin]}`;
  const unit = feature.unit ? ` ${feature.unit}` : "";
  const [from, to] = [low + bin * width, low + (bin + 1) * width];
  const last = bin === count - 1;
  if (feature.kind === "integer") {
    const [first, end] = [Math.ceil(from - 1e-9), last ? Math.floor(to + 1e-9) : Math.ceil(to - 1e-9) - 1];
    return `${name} ${first === end ? first : `${first} to ${end}`}${unit}`;
  }
  return `${name} in [${short(from)}, ${short(to)}${last ? "]" : ")"}${unit}`;
}

const short = (v: number): number => Number(v.toPrecision(4));

import { checkName } from "../errors.ts";
import { ofMeanGap } from "../num/divergence.ts";
import type { Goal } from "../types.ts";
import type { Policy } from "./contract.ts";
import { greedy } from "./greedy.ts";
import { minimal } from "./minimal.ts";
import { sample } from "./sample.ts";
import { top } from "./top.ts";

/** How cells are chosen, by name. A new policy is one line here. */
export const policies: Readonly<Record<string, Policy>> = { sample, top, greedy, minimal };

/** The policy of a goal that names none; what `joint` chose as an optimum is refined as one, where that is known. */
export function defaultPolicy(goal: Goal, coupling?: string): string {
  if (goal.kind === "each") return "minimal";
  const known = ofMeanGap(goal.divergence ?? "w1", goal.on ?? "score");
  return coupling === "joint" && known ? "minimal" : "greedy";
}

export function policyOf(name: string): Policy {
  checkName("refine", "policy", name, Object.keys(policies));
  return policies[name]!;
}

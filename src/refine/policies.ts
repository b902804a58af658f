import { checkName } from "../errors.ts";
import type { Goal } from "../types.ts";
import type { Policy } from "./contract.ts";
import { greedy } from "./greedy.ts";
import { minimal } from "./minimal.ts";
import { sample } from "./sample.ts";
import { top } from "./top.ts";

/** How cells are chosen, by name. A new policy is one line here. */
export const policies: Readonly<Record<string, Policy>> = { sample, top, greedy, minimal };

/** The policy of a goal that names none. */
export function defaultPolicy({ kind }: Goal): string {
  return kind === "each" ? "minimal" : "greedy";
}

export function policyOf(name: string): Policy {
  checkName("refine", "policy", name, Object.keys(policies));
  return policies[name]!;
}

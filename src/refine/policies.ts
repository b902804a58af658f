import { ColaError } from "../errors.ts";
import type { Policy } from "./contract.ts";
import { greedy } from "./greedy.ts";
import { minimal } from "./minimal.ts";
import { sample } from "./sample.ts";
import { top } from "./top.ts";

/** How cells are chosen, by name. A new policy is one line here. */
export const policies: Readonly<Record<string, Policy>> = { sample, top, greedy, minimal };

export function policyOf(name: string): Policy {
  const policy = Object.hasOwn(policies, name) ? policies[name] : undefined;
  if (policy) return policy;
  throw new ColaError(
    "NAME_UNKNOWN",
    `refine: there is no policy ${JSON.stringify(name)}; give one of ${Object.keys(policies).join(", ")}.`,
    { policy: name, known: Object.keys(policies) },
  );
}

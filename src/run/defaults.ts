import { defaultPolicy } from "../refine/policies.ts";
import type { Defaults, Options } from "./options.ts";
import { amongReferences } from "./values.ts";

/** The defaults of this version. */
export function defaultsOf(asked: Options): Defaults {
  const { goal = { kind: "each", target: {} } } = asked;
  const coupling = goal.kind === "each" ? "match" : "transport";
  const named = amongReferences(asked);
  const values = goal.kind !== "each" || named !== undefined ? "reference" : "least";
  const coupled = typeof asked.coupling === "object" ? asked.coupling.name : (asked.coupling ?? coupling);
  const all = {
    coupling,
    policy: defaultPolicy(goal, coupled),
    values,
    objective: "edits",
    value: "most-likely",
    prefer: "margin",
    stop: "goal",
  } as const;
  const left = Object.entries(all).filter(([name]) => asked[name as keyof Options] === undefined);
  const plans = named === undefined ? "searched" : "settled";
  return {
    ...(Object.fromEntries(left) as Partial<typeof all>),
    plans: (asked.values ?? values) === "reference" ? "borrowed" : plans,
  };
}

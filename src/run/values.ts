import { checkName, checkOption } from "../errors.ts";
import type { Goal } from "../types.ts";
import type { Given, PlannedValues } from "./contract.ts";
import type { Options } from "./options.ts";

/** Checks `values` and what goes with it. */
export function plannedValues(all: Given, goal: Goal): PlannedValues {
  const named = amongReferences(all);
  const { only, objective } = all;
  const values = all.values!;
  checkName("explain", "values", values, ["least", "near", "reference"]);
  checkName("explain", "objective", objective, ["edits", "cost", "change"]);
  if (only !== undefined) checkName("explain", "only", only, ["plans"]);
  const ofEach = goal.kind === "each" || (values === "reference" && only === undefined);
  checkOption(ofEach, "explain", "goal", '"each" where values or only is given', goal.kind);
  const fits = values !== "near" || named === undefined;
  checkOption(fits, "explain", "values", `"least" or "reference" where ${named} is given`, values);
  const free = named === undefined && values !== "reference";
  checkOption(
    free || only === undefined,
    "explain",
    "only",
    `left out where ${named ?? "values"} is given`,
    only,
  );
  const measured = free || objective !== "change";
  checkOption(measured, "explain", "objective", '"edits" or "cost" with values of references', objective);
  return { values, plans: all.defaults!.plans };
}

/** Options that choose among references. */
const CHOICES = ["coupling", "policy", "value", "prefer", "stop", "prune", "reuse", "capped"] as const;

/** The name of an option that chooses among references, where one is asked for. */
export function amongReferences(all: Options): string | undefined {
  const left = all.defaults ?? {};
  const chosen = CHOICES.find((name) => all[name] !== undefined && !(name in left));
  return chosen ?? (all.budget?.total === undefined ? undefined : "budget.total");
}

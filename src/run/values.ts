import { checkName, checkOption } from "../errors.ts";
import type { Goal } from "../types.ts";
import type { Given, Values } from "./input.ts";

/** Where planned values come from, and what is done with the plans that references give. */
export interface PlannedValues {
  readonly values: Values;
  /**
   * `borrowed`: plans are those of references; `settled`: their numbers then move back towards x; `searched`: the search
   * over all values takes their place.
   */
  readonly plans: "borrowed" | "settled" | "searched";
}

/** Resolves and checks `values` and what goes with it. */
export function plannedValues(all: Given, goal: Goal): PlannedValues {
  const named = amongReferences(all);
  const borrows = goal.kind !== "each" || named !== undefined;
  const { values = borrows ? "reference" : "least", only, objective = "edits" } = all;
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
  if (values === "reference") return { values, plans: "borrowed" };
  return { values, plans: named === undefined ? "searched" : "settled" };
}

/** The name of an option that chooses among references, where one is given. */
function amongReferences(all: Given): string | undefined {
  const { coupling, policy, budget, value, prefer, stop, prune, reuse, capped } = all;
  const choices = {
    coupling,
    policy,
    "budget.total": budget?.total,
    value,
    prefer,
    stop,
    prune,
    reuse,
    capped,
  };
  return Object.entries(choices).find(([, chosen]) => chosen !== undefined)?.[0];
}

import { ColaError } from "../src/errors.ts";
import { type Defaults, defaultsOf, type ExplainInput } from "../src/run/open.ts";
import type { Goal, Target } from "../src/types.ts";
import { about, type Given, OPTIONS, type OptionSpec } from "./options.ts";

/** Method options that `explain` takes in another form than under their own name. */
const TOLD: Readonly<Record<string, (given: Given) => Partial<ExplainInput>>> = {
  reuse: ({ reuse }) => ({ reuse: reuse === "free" ? reuse : Number(reuse) }),
  alternatives: ({ alternatives }) => ({
    alternatives: alternatives === Number.MAX_SAFE_INTEGER ? "all" : alternatives!,
  }),
  plausible: () => ({}),
  budget: () => ({}),
  perRow: () => ({}),
};

/** The options as `explain` takes them; one that is as it would be anyway is left out, so that all doors ask the same. */
export function methodOf(given: Given, target: Target): Partial<ExplainInput> {
  const { budget: total, perRow, seed = 0 } = given;
  const named = about("method").flatMap((name) => {
    const spec: OptionSpec = OPTIONS[name];
    if (given[name] === undefined || given[name] === spec.default) return [];
    return [TOLD[name]?.(given) ?? { [name]: given[name] }];
  });
  return {
    goal: goalOf(given, target),
    seed,
    ...Object.assign({}, ...named),
    budget: {
      ...(total === undefined ? {} : { total }),
      ...(perRow === undefined ? {} : { perRow }),
    },
  };
}

/** Counterfactuals of one's own give the values of the plans. */
export function valuesWith(own: boolean): Pick<ExplainInput, "values"> {
  return own ? { values: "reference" } : {};
}

/** What stands today where these options are left out; whether they go together is for `explain` to say. */
export function defaultsFor(given: Given, own: boolean): Defaults {
  const { divergence: _, ...each } = given;
  return defaultsOf({ ...valuesWith(own), ...methodOf(given.effect === undefined ? each : given, {}) });
}

/** Every row reaches the target, or the group a share of its effect. */
function goalOf({ effect, divergence }: Given, target: Target): Goal {
  if (effect !== undefined)
    return { kind: "group", level: effect, ...(divergence ? { divergence: divergence as "w1" } : {}) };
  if (divergence === undefined) return { kind: "each", target };
  throw new ColaError(
    "OPTION_INVALID",
    `options.divergence = ${divergence} measures the scores of a group; give options.effect with it, or leave it out.`,
    { divergence },
  );
}

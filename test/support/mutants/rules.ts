import { levelsOf } from "../../../src/data/schema.ts";
import { asItIs, type Comparison, UNKNOWN_LEVEL, type Writer } from "../rules.ts";

const always = (holds: boolean): string => (holds ? "0 < 1" : "1 < 0");

/** Levels in alphabetical order, whatever the schema says. */
const alphabetical: Writer = (comparison) => {
  const { feature, op, with: level } = comparison;
  if (feature.kind !== "ordinal" || typeof level !== "string") return asItIs(comparison);
  const meets = (name: string): boolean =>
    ({ "<": name < level, "<=": name <= level, ">": name > level, ">=": name >= level })[op as "<"] ??
    (name === level) === (op === "==");
  const names = levelsOf(feature).filter(meets);
  if (op === "!=") return asItIs(comparison);
  return names.map((name) => `${feature.name} == '${name}'`).join(" or ") || always(false);
};

/** A boolean is equal to nothing that is written in another way. */
const strict: Writer = (comparison) =>
  typeof comparison.with === "boolean" && !/^(true|false)$/.test(comparison.text)
    ? always(comparison.op === "!=")
    : asItIs(comparison);

/** What is not a level is equal to no value. */
const lenient = (comparison: Comparison): string =>
  comparison.text === `'${UNKNOWN_LEVEL}'` ? always(comparison.op === "!=") : asItIs(comparison);

/** Wrong readings of rules, each as a way to write what it would have understood. */
export const ruleMutants: Readonly<Record<string, Writer>> = {
  "ordinals in alphabetical order": alphabetical,
  "booleans compared strictly": strict,
};
export const levelMutants: Readonly<Record<string, Writer>> = { "an unknown level accepted": lenient };

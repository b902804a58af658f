import { ColaError, checkName } from "../src/errors.ts";
import { type Given, OPTIONS, type OptionName, type OptionSpec, optionRows } from "./options.ts";

/** Options that come as JSON: only those a request may have, each of the kind and within the range of the one table. */
export function givenOf(owner: string, told: unknown): Given {
  if (typeof told !== "object" || told === null || Array.isArray(told))
    throw new ColaError("OPTION_INVALID", `${owner}: options must be an object { name: value }.`);
  const known = optionRows.flatMap(([name, spec]) => (spec.http || name === "locale" ? [name] : []));
  const all: Record<string, number> = {};
  for (const [name, value] of Object.entries(told)) {
    checkName(owner, "option", name, known);
    const spec: OptionSpec = OPTIONS[name as OptionName];
    if (spec.all && value === "all") all[name] = Number.MAX_SAFE_INTEGER;
    const rule = name in all ? undefined : wanted(spec, value);
    if (rule === undefined) continue;
    throw new ColaError(
      "OPTION_INVALID",
      `${owner}: options.${name} must be ${rule}, but is ${JSON.stringify(value)?.slice(0, 80)}.`,
      { option: name },
    );
  }
  return { ...told, ...all };
}

/** What a value should be and is not. */
function wanted({ kind, choices, min, max, all }: OptionSpec, value: unknown): string | undefined {
  if (kind === "switch") return typeof value === "boolean" ? undefined : "true or false";
  if (kind === "list") {
    const fits = Array.isArray(value) && value.every((part) => typeof part === "string");
    return fits ? undefined : "a list of texts";
  }
  if (kind !== "integer" && kind !== "number") {
    if (choices) return choices.includes(value as string) ? undefined : `one of ${choices.join(", ")}`;
    return typeof value === "string" ? undefined : "a text";
  }
  const whole = kind === "number" || Number.isInteger(value);
  const above = min === undefined || (value as number) >= min;
  const below = max === undefined || (value as number) <= max;
  if (Number.isFinite(value) && whole && above && below) return undefined;
  const range = [
    ...(min === undefined ? [] : [`of at least ${min}`]),
    ...(max === undefined ? [] : [`of at most ${max}`]),
  ].join(" and ");
  return `a ${kind === "integer" ? "whole " : ""}number ${range}`.trimEnd() + (all ? ", or all" : "");
}

import { z } from "zod";
import { type Given, OPTIONS, type OptionName, type OptionSpec } from "../../cli/options.ts";

/** The options of the command line that make sense in a request; their ranges come from the one table. */
const NAMES = [
  "label",
  "id",
  "freeze",
  "vary",
  "missing",
  "decimalComma",
  "outputs",
  "target",
  "generator",
  "coupling",
  "reuse",
  "capped",
  "policy",
  "objective",
  "budget",
  "perRow",
  "effect",
  "rows",
  "alternatives",
  "seed",
  "timeout",
] as const satisfies readonly OptionName[];

export type RequestOptions = Pick<Given, (typeof NAMES)[number]>;

const text = z.string().max(1000);

function schemaOf(spec: OptionSpec): z.ZodType {
  if (spec.choices) return z.enum(spec.choices as [string, ...string[]]);
  if (spec.kind === "switch") return z.boolean();
  if (spec.kind === "list") return z.array(text).max(10_000);
  if (spec.kind === "text" || spec.kind === "choice") return text;
  const number = spec.kind === "integer" ? z.int() : z.number();
  const least = spec.min === undefined ? number : number.min(spec.min);
  return spec.max === undefined ? least : least.max(spec.max);
}

const shape = Object.fromEntries(
  NAMES.map((name): [string, z.ZodType] => {
    const spec: OptionSpec = OPTIONS[name];
    const value = schemaOf(spec).describe(spec.help);
    return [name, spec.default === undefined ? value.optional() : value.default(spec.default)];
  }),
);

export const requestOptions = z.strictObject(shape) as unknown as z.ZodType<RequestOptions>;

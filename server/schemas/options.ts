import { z } from "zod";
import { type OptionSpec, optionRows, type RequestOptions } from "../../study/options.ts";

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

/** The options of a request: those of the one table that it shows here, with their ranges, defaults and sentences. */
const shape = Object.fromEntries(
  optionRows
    .filter(([, spec]) => spec.http)
    .map(([name, spec]): [string, z.ZodType] => {
      const value = schemaOf(spec).describe(spec.help);
      return [name, spec.default === undefined ? value.optional() : value.default(spec.default)];
    }),
);

export const requestOptions = z.strictObject(shape) as unknown as z.ZodType<RequestOptions>;

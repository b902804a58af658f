import { ColaError } from "../src/errors.ts";
import type { Schema } from "../src/types.ts";
import { type ReasonCodes, vagueReasons } from "./reasons.ts";

/**
 * Reason codes as they were read from JSON; what is none, speaks of no feature of the schema (where that is
 * known), or tells a person nothing, is refused.
 */
export function checkReasonCodes(name: string, value: unknown, schema?: Schema): ReasonCodes {
  const problem = problemOf(value);
  if (problem) throw new ColaError("OPTION_INVALID", `${name}: ${problem}.`, { name });
  const codes = value as ReasonCodes;
  const features = schema?.features.map((feature) => feature.name);
  const other = Object.keys(codes).find((feature) => features?.includes(feature) === false);
  if (other !== undefined)
    throw new ColaError(
      "OPTION_INVALID",
      `${name}: there is no feature ${JSON.stringify(other)} to give a reason code; the features are ${features!.join(", ")}.`,
      { name, feature: other },
    );
  const vague = vagueReasons(codes);
  if (vague.length === 0) return codes;
  throw new ColaError(
    "OPTION_INVALID",
    `${name}: the reasons of ${vague.map((reason) => reason.feature).join(", ")} are too vague to tell a person anything; name the factor itself.`,
    { vague },
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'reason codes must be an object: feature → { "code", "text" }';
  for (const [feature, one] of Object.entries(value)) {
    const own = `reason codes.${feature}`;
    if (!isObject(one)) return `${own} must be an object with "code" and, if you like, "text"`;
    const other = Object.keys(one).find((key) => key !== "code" && key !== "text");
    if (other) return `${own} has the field "${other}"; it may have "code" and "text"`;
    if (typeof one["code"] !== "string") return `${own}.code must be text`;
    if (one["text"] !== undefined && typeof one["text"] !== "string") return `${own}.text must be text`;
  }
  return undefined;
}

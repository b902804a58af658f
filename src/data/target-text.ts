import { ColaError } from "../errors.ts";
import type { Target } from "../types.ts";

const COMPARISON = /^\s*score\s*(<=|>=|<|>)\s*(-?[\d.]+(?:e-?\d+)?)\s*$/i;
const RANGE = /^\s*score\s+in\s*\[\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*\]\s*$/i;

/**
 * A target as people write it: `granted`, `not refused`, `a or b`, `score >= 0.7`, `score in [0.2, 0.4]`.
 * Class names are those of the model's outputs.
 */
export function parseTarget(text: string, outputs: readonly string[]): Target {
  const comparison = text.match(COMPARISON);
  if (comparison) {
    const value = Number(comparison[2]);
    const key = ({ "<=": "max", ">=": "min", "<": "below", ">": "above" } as const)[comparison[1]!]!;
    return { [key]: value };
  }
  const range = text.match(RANGE);
  if (range) return { min: Number(range[1]), max: Number(range[2]) };
  const not = /^not\s+/i.test(text) && !outputs.includes(text);
  const names = (outputs.includes(text) ? [text] : text.replace(/^not\s+/i, "").split(/\s+or\s+/i)).map((n) =>
    n.trim(),
  );
  const unknown = names.find((name) => !outputs.includes(name));
  if (unknown === undefined)
    return { class: names.length === 1 ? names[0]! : names, ...(not ? { not } : {}) };
  throw new ColaError(
    "TARGET_INVALID",
    `target: ${JSON.stringify(text)} is neither a comparison such as "score >= 0.7" nor one of the classes ${outputs.join(", ")}.`,
    { target: text, outputs },
  );
}

import { ColaError } from "../errors.ts";
import type { Target } from "../types.ts";
import { meant } from "./nearby.ts";
import { firstOf } from "./notes.ts";

/** Classes named in a message at most. */
const MOST_NAMED = 20;

const COMPARISON = /^(.+?)\s*(<=|>=|<|>)\s*(-?[\d.]+(?:e-?\d+)?)$/i;
const RANGE = /^(.+?)\s+in\s*\[\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*\]$/i;
const BETWEEN = /^(-?[\d.]+)\s*(<=|<)\s*(.+?)\s*(<=|<)\s*(-?[\d.]+)$/i;

/**
 * A target as people write it: `granted`, `not refused`, `a or b`, `score >= 0.7`, `score in [0.2, 0.4]`,
 * `0.2 < score <= 0.4`. Class names are those of the model's outputs; one of them in place of `score` names the
 * output whose score is meant.
 */
export function parseTarget(text: string, outputs: readonly string[]): Target {
  const scored = outputs.includes(text) ? undefined : scoreTarget(text.trim(), outputs);
  if (scored) return scored;
  const not = /^not\s+/i.test(text) && !outputs.includes(text);
  const names = (outputs.includes(text) ? [text] : text.replace(/^not\s+/i, "").split(/\s+or\s+/i)).map((n) =>
    n.trim(),
  );
  const unknown = names.find((name) => !outputs.includes(name));
  if (unknown === undefined)
    return { class: names.length === 1 ? names[0]! : names, ...(not ? { not } : {}) };
  throw new ColaError(
    "TARGET_INVALID",
    `target: ${JSON.stringify(text)} is neither about a score, as "score >= 0.7" and "score in [0.2, 0.4]" are, nor one of the classes ${firstOf(outputs, MOST_NAMED).join(", ")}${meant(unknown, outputs)}${scoreMeant(text, outputs) || remedy(outputs)}.`,
    { target: text, outputs },
  );
}

/** A bare number, a share in percent and a decimal comma as the score they stand for. */
function scoreMeant(text: string, outputs: readonly string[]): string {
  if (outputs.every((name) => Number.isFinite(Number(name)))) return "";
  const [, number, percent] = /^(?:.*[<>=]\s*)?(\d+(?:[.,]\d+)?)\s*(%?)$/.exec(text.trim()) ?? [];
  if (number === undefined || (!percent && !/[.,]/.test(number))) return "";
  const value = Number(number.replace(",", "."));
  return `; write "score >= ${percent ? value / 100 : value}"`;
}

/** Files of models often know their classes by number alone. */
function remedy(outputs: readonly string[]): string {
  return outputs.every((name) => /^\d+$|^score$/.test(name))
    ? "; the model does not name its outputs: name them in their order (options.outputs, as in refused,granted)"
    : outputs.length > 2
      ? `; correct the name, or join several: "not ${outputs[0]}", "${outputs[0]} or ${outputs[1]}"`
      : "; correct the name";
}

const KEYS: Readonly<Record<string, "max" | "min" | "below" | "above">> = {
  "<=": "max",
  ">=": "min",
  "<": "below",
  ">": "above",
};

/** A target about the score of an output; nothing where the text is not about one. */
function scoreTarget(text: string, outputs: readonly string[]): Target | undefined {
  const about = (name: string, edges: object): Target | undefined => {
    if (name.toLowerCase() === "score") return { ...edges };
    return outputs.includes(name) ? { output: name, ...edges } : undefined;
  };
  const between = text.match(BETWEEN);
  if (between) {
    const [, low, from, name, to, high] = between;
    return about(name!, { [from === "<" ? "above" : "min"]: Number(low), [KEYS[to!]!]: Number(high) });
  }
  const range = text.match(RANGE);
  if (range) return about(range[1]!, { min: Number(range[2]), max: Number(range[3]) });
  const comparison = text.match(COMPARISON);
  return comparison ? about(comparison[1]!, { [KEYS[comparison[2]!]!]: Number(comparison[3]) }) : undefined;
}

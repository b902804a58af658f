import type { Locale } from "../../show/locales/contract.ts";
import { directionOf, edgesOf, formatCell, formatScore } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Edit, ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Feature, Schema } from "../../src/types.ts";
import type { StudioWords } from "../words/contract.ts";

export { rowLabel as personName } from "../../show/figures/labels.ts";

export function scoreText({ goal, outputs }: Explanation, score: number | null, locale: Locale): string {
  return score === null ? "–" : formatScore(score, edgesOf(goal, outputs.length), locale);
}

export function featureOf(schema: Schema, name: string): Feature {
  return schema.features.find((feature) => feature.name === name)!;
}

export const SIGNS = { up: "▲", down: "▼", other: "◆" } as const;

export function signOf(schema: Schema, edit: Edit): keyof typeof SIGNS {
  const direction = directionOf(featureOf(schema, edit.feature), edit);
  return direction > 0 ? "up" : direction < 0 ? "down" : "other";
}

/** An edit in parts, so that what has no room is cut where it hurts least, and the new value never before the others. */
export function changeParts(
  schema: Schema,
  { feature: name, from, to }: Edit,
  locale: Locale,
): { readonly name: string; readonly from: string; readonly to: string } {
  const feature = featureOf(schema, name);
  const unit = feature.unit && to !== null ? ` ${feature.unit}` : "";
  return { name: labelOf(feature), from: formatCell(from, locale), to: `${formatCell(to, locale)}${unit}` };
}

export function changeText(schema: Schema, edit: Edit, locale: Locale): string {
  const { name, from, to } = changeParts(schema, edit, locale);
  return `${name} ${from} → ${to}`;
}

/** How a person is marked: a goal of the group is nobody's failure. */
export function markOf({ goal }: Explanation, { valid }: ExplainedRow): "good" | "bad" | "moved" {
  return goal.kind === "group" ? "moved" : valid ? "good" : "bad";
}

/** Why a person has no plan, in a few words. */
export function statusWords({ status, valid }: Pick<ExplainedRow, "status" | "valid">): keyof StudioWords {
  if (valid) return "status_valid";
  return `status_${status}`;
}

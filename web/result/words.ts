import { rowLabel } from "../../show/figures/labels.ts";
import { en } from "../../show/locales/en.ts";
import { directionOf, edgesOf, formatCell, formatScore } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Edit, ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Feature, Schema } from "../../src/types.ts";

export function personName(row: Pick<ExplainedRow, "row" | "id">): string {
  const label = rowLabel(row, en);
  return /^\d+$/.test(label) ? `Row ${label}` : label;
}

export function scoreText({ goal, outputs }: Explanation, score: number | null): string {
  return score === null ? "–" : formatScore(score, edgesOf(goal, outputs.length));
}

export function featureOf(schema: Schema, name: string): Feature {
  return schema.features.find((feature) => feature.name === name)!;
}

export const SIGNS = { up: "▲", down: "▼", other: "◆" } as const;

export function signOf(schema: Schema, edit: Edit): keyof typeof SIGNS {
  const direction = directionOf(featureOf(schema, edit.feature), edit);
  return direction > 0 ? "up" : direction < 0 ? "down" : "other";
}

export function changeText(schema: Schema, edit: Edit): string {
  return `${labelOf(featureOf(schema, edit.feature))} ${formatCell(edit.from)} → ${formatCell(edit.to)}`;
}

/** Why a person has no plan, in a few words. */
export function statusText({ status, valid }: Pick<ExplainedRow, "status" | "valid">): string {
  if (valid) return "reaches it";
  if (status === "ok") return "falls short";
  const told = {
    infeasible: "no plan found",
    budget: "budget used up",
    model_error: "model failed",
    invalid_input: "row unreadable",
  };
  return told[status];
}

/** How many: a large number in groups of three digits. */
export function counted(number: number): string {
  return number.toLocaleString("en");
}

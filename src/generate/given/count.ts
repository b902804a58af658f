import { readAlibi } from "./alibi.ts";
import { readDiceJson } from "./dice.ts";
import type { GivenSource } from "./source.ts";

/** Counterfactuals in the text of another tool, read far enough to refuse a bad one. */
export function countGiven(source: GivenSource): number {
  if (source.format === "dice" && typeof source.file === "string") {
    const { examples } = readDiceJson(source.file);
    return examples.reduce((sum, { counterfactuals }) => sum + (counterfactuals?.rows.length ?? 0), 0);
  }
  const text = source.format === "alibi" ? String(source.explanations) : "";
  return readAlibi(text).counterfactuals.flat().length;
}

import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { reachOf } from "../../src/model/target.ts";
import type { Model } from "../../src/types.ts";
import type { Locale } from "../locales/contract.ts";
import { edgesOf, fill, formatNumber, formatScore } from "../sentences.ts";
import type { LetterPart } from "./part.ts";

/** What was sought, and how far the model was from it. */
export function decisionPart(explanation: Explanation, row: ExplainedRow, locale: Locale): LetterPart {
  const { goal, outputs, output } = explanation;
  const { papers } = locale;
  const more = goal.kind === "each" && goal.minMargin ? formatNumber(goal.minMargin, locale) : undefined;
  const before = formatScore(row.before!, edgesOf(goal, outputs.length), locale);
  const reach = reachOf({ outputs } as Model, goal.kind === "each" ? goal.target : {});
  const template = reach.conditions
    ? papers.letterScore
    : reach.contest
      ? papers.letterMargin
      : papers.letterContest;
  const score = fill(template, {
    output,
    before,
    range: rangeText(explanation, locale),
    count: formatNumber(outputs.length, locale),
  });
  return {
    kind: "decision",
    heading: papers.letterDecision,
    before: [
      `${fill(papers.letterSought, { outcome: outcomeText(explanation, locale) })} ${score}${more === undefined ? "" : ` ${fill(papers.letterMore, { margin: more })}`}`,
    ],
    items: [],
    after: [],
  };
}

/** The outcome sought, in quotes where it is a class. */
function outcomeText(explanation: Explanation, locale: Locale): string {
  const { goal, output } = explanation;
  const { papers } = locale;
  if (goal.kind !== "each" || !("class" in goal.target))
    return fill(papers.letterRange, { output, range: rangeText(explanation, locale) });
  const { target } = goal;
  const named = [target.class].flat().map((name) => fill(papers.quoted, { text: String(name) }));
  const last = named.at(-1)!;
  const classes =
    named.length === 1 ? last : fill(papers.or, { list: named.slice(0, -1).join(locale.numbers.list), last });
  return fill(target.not ? papers.letterNot : papers.letterClass, { classes });
}

/** The edges that the score has to lie beyond; empty for a contest of several outputs. */
function rangeText({ goal, outputs }: Explanation, locale: Locale): string {
  if (goal.kind !== "each") return "";
  const { papers } = locale;
  const { conditions = [] } = reachOf({ outputs } as Model, goal.target);
  const told = conditions.map(({ sign, value, strict }) => {
    const edge = sign > 0 ? (strict ? "above" : "atLeast") : strict ? "below" : "atMost";
    return fill(papers[`edge_${edge}`], { value: formatNumber(value, locale) });
  });
  return told.length < 2
    ? told.join("")
    : fill(papers.and, { list: told.slice(0, -1).join(locale.numbers.list), last: told.at(-1)! });
}

import { levelsOf } from "../src/data/schema.ts";
import type { Explanation } from "../src/explanation.ts";
import type { Feature } from "../src/types.ts";
import type { Locale } from "./locales/contract.ts";
import { fill, formatCell, formatNumber, formatScore } from "./sentences.ts";

/** Names and what they stand for. */
export type Facts = readonly (readonly [name: string, fact: string])[];

/** The values that plans were looked for among. */
export function searchedFact({ options: { values } }: Explanation, { words }: Locale): string {
  if (values === "near") return fill(words.searchedNear, { count: "50" });
  return values === "least" ? words.searchedAny : words.searchedFact;
}

/** How the plans were made, in the words of the paper and the command line. */
export function technicalFacts(explanation: Explanation, locale: Locale): Facts {
  const { coupling, effect, method } = explanation;
  const { words } = locale;
  return [
    [words.coupling, coupling ? couplingFact(coupling, locale) : method.coupling],
    [words.values, method.value],
    [words.policy, method.policy],
    [
      words.effectMeasure,
      fill(words.effectFact, {
        divergence: effect.divergence,
        on: effect.on === "label" ? words.labels : words.scores,
        before: formatScore(effect.before, [], locale),
        after: formatScore(effect.after, [], locale),
      }),
    ],
    [
      words.attributionMethod,
      fill(words.attributionNote, {
        how: explanation.attribution.exact ? words.exact : words.sampled,
        space: words[`space_${explanation.attribution.space}`],
        residual: residualText(explanation, locale),
      }),
    ],
  ];
}

/** The largest gap between a sum of attributions and the difference it is of. */
export const residualText = ({ attribution }: Explanation, { numbers }: Locale): string =>
  attribution.residual.toExponential(1).replace(".", numbers.decimal);

export function couplingFact(
  { name, entries, converged, gap }: NonNullable<Explanation["coupling"]>,
  locale: Locale,
): string {
  const { words } = locale;
  return fill(words.couplingNote, {
    name,
    entries: formatNumber(entries, locale),
    converged: converged ? words.converged : words.notConverged,
    gap: formatNumber(gap, locale),
  });
}

/** Every option under its name, with defaults resolved and values in words. */
export const optionFacts = ({ options }: Explanation, locale: Locale): Facts =>
  Object.entries(options).map(([name, value]) => [name, optionText(name, value, locale)]);

/** The name of an option in words, with the name it is given by. */
export function optionName(name: string, { card }: Locale): string {
  const words = (card as Readonly<Record<string, string>>)[`opt_${name}`];
  return words === undefined ? name : fill(card.optNamed, { words, name });
}

function optionText(name: string, value: unknown, locale: Locale): string {
  const { card, numbers } = locale;
  const number = (count: unknown): string => formatNumber(Number(count), locale);
  if (name === "budget" && Object.keys(value ?? {}).length === 0) return card.optBudgetFree;
  if (value === null) return "–";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? locale.yes : locale.no;
  if (typeof value === "number") return number(value);
  const given = Object.entries(value as object).filter(([, one]) => one !== null && one !== undefined);
  if (Array.isArray(value))
    return value.map((one) => (one as { feature?: string }).feature ?? String(one)).join(numbers.list);
  const told = given.map(([key, one]) => {
    if (key === "perRow") return fill(card.optPerRow, { count: number(one) });
    if (key === "total") return fill(card.optTotal, { count: number(one) });
    if (key === "timeMs") return fill(card.optTime, { seconds: number(Number(one) / 1000) });
    return `${key} ${typeof one === "number" ? number(one) : String(one)}`;
  });
  return told.join(numbers.list) || "–";
}

/** What a feature may become, in words. */
export function limitsOf(feature: Feature, locale: Locale): string {
  const { words } = locale;
  const number = (value: number): string => formatNumber(value, locale);
  if (feature.derived) return fill(words.derived, { expression: feature.derived });
  if (feature.immutable) return words.fixed;
  const levels = levelsOf(feature);
  const list = feature.allowed ?? (feature.kind === "boolean" ? [] : levels);
  const parts = [
    list.length > 0 &&
      fill(words.oneOf, { list: list.map((cell) => formatCell(cell, locale)).join(locale.numbers.list) }),
    feature.min !== undefined && fill(words.atLeast, { value: number(feature.min) }),
    feature.max !== undefined && fill(words.atMost, { value: number(feature.max) }),
    feature.step !== undefined && fill(words.inSteps, { value: number(feature.step) }),
    feature.direction === "up" && words.onlyUp,
    feature.direction === "down" && words.onlyDown,
    feature.transitions &&
      Object.entries(feature.transitions)
        .map(([from, to]) => `${from} → ${to.join(" / ") || "–"}`)
        .join("; "),
    feature.editMissing && words.mayBeMissing,
    feature.cost !== undefined && fill(words.costs, { value: number(feature.cost) }),
    feature.tolerance !== undefined && fill(words.tolerated, { value: number(feature.tolerance) }),
  ].filter((part) => typeof part === "string");
  return parts.length > 0 ? parts.join("; ") : words.free;
}

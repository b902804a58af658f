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

/** Every option, with defaults resolved. */
export const optionFacts = ({ options }: Explanation): Facts =>
  Object.entries(options).map(([name, value]) => [
    name,
    value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value),
  ]);

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

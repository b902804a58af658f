import { hasLevels, labelOf, levelsOf } from "../src/data/schema.ts";
import type { Feature, Schema } from "../src/types.ts";
import { levelText } from "./data-words.ts";
import type { Locale } from "./locales/contract.ts";
import { translate } from "./messages.ts";
import { fill, formatNumber } from "./sentences.ts";

const NUMBER = "-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?";

/** A rule for a whole group, as AReS and GLOBE-CE write it, in plain words: names, levels, ends and numbers as the locale has them. */
export function ruleText(rule: string, { features }: Schema, locale: Locale): string {
  const said = features.reduce(
    (text, feature) => conditionsIn(text, feature, locale),
    translate(rule, locale),
  );
  const { papers } = locale;
  const and = fill(papers.and, { list: "", last: "" });
  const names = features.map((feature) => escaped(labelOf(feature))).join("|");
  return said.replaceAll(new RegExp(` and (?=(?:${names}) )`, "gu"), and);
}

/** What the text says of one feature: `Housing = rent`, `Debt in [2, 5.5)`, `Age 40 to 45`, `Debt −1.5`, `Housing → own`. */
function conditionsIn(text: string, feature: Feature, locale: Locale): string {
  const { papers } = locale;
  const label = labelOf(feature);
  const told = (number: string): string => formatNumber(Number(number), locale);
  const name = `(?<![\\p{L}\\p{N}])(?:${namesOf(label, locale).map(escaped).join("|")})`;
  const ends = (template: string) => (_: string, from: string, to: string) =>
    `${label} ${fill(template, { from: told(from), to: told(to) })}`;
  const plain = text
    .replaceAll(new RegExp(`${name} in \\[(${NUMBER}), (${NUMBER})\\)`, "gu"), ends(papers.ruleUnder))
    .replaceAll(new RegExp(`${name} in \\[(${NUMBER}), (${NUMBER})\\]`, "gu"), ends(papers.ruleUpTo))
    .replaceAll(new RegExp(`${name} (${NUMBER}) to (${NUMBER})`, "gu"), ends(papers.ruleUpTo))
    .replaceAll(
      new RegExp(`${name} ([−+])(${NUMBER})`, "gu"),
      (_, sign: string, number: string) => `${label} ${sign}${told(number)}`,
    );
  if (!hasLevels(feature) && feature.kind !== "boolean") return plain;
  const levels = levelsOf(feature)
    .map(escaped)
    .sort((a, b) => b.length - a.length);
  return plain.replaceAll(
    new RegExp(`${name} ([=→]) (${levels.join("|")})(?![\\p{L}\\p{N}])`, "gu"),
    (_, sign: string, level: string) => `${label} ${sign} ${levelText(feature, level, locale)}`,
  );
}

/** What a label is here, and what it was where the rule was written. */
const namesOf = (label: string, { dataWords = {} }: Locale): string[] => [
  label,
  ...Object.keys(dataWords).filter((key) => dataWords[key] === label),
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

import type { Explanation } from "../src/explanation.ts";
import type { Feature, Schema, Target } from "../src/types.ts";
import type { DataWords, Locale } from "./locales/contract.ts";

/** The embedded data set, or some columns of it: its labels tell, for an inferred schema has none. */
const isOf = ({ features }: Schema, { labels }: DataWords): boolean =>
  features.every(({ label }) => label !== undefined && Object.hasOwn(labels, label));

/** What a locale calls a level, a label or a class of the data; others are called as they are. */
export const dataWord = (text: string, { dataWords = {} }: Pick<Locale, "dataWords">): string =>
  Object.hasOwn(dataWords, text) ? dataWords[text]! : text;

/** A level as it is read: yes and no for booleans. */
export function levelText({ kind }: Feature, level: string, locale: Locale): string {
  if (kind !== "boolean") return dataWord(level, locale);
  return level === "true" ? locale.yes : level === "false" ? locale.no : level;
}

/** The schema of the embedded data set with labels and units in the language, and the locale with its levels. */
export function schemaIn(
  schema: Schema,
  given: Locale,
): { readonly schema: Schema; readonly locale: Locale } {
  const { loans, ...others } = given;
  if (!loans || !isOf(schema, loans)) return { schema, locale: given };
  const { labels, units, levels } = loans;
  const features = schema.features.map((feature) => {
    const { label, unit } = feature;
    const told = unit === undefined ? {} : { unit: units[unit] ?? unit };
    return { ...feature, label: labels[label!]!, ...told };
  });
  return { schema: { ...schema, features }, locale: { ...others, dataWords: { ...labels, ...levels } } };
}

/**
 * An explanation of the embedded data set as it is shown in a language, and the locale that says its levels. Names, cells and
 * digests are those of the explanation, whatever the language.
 */
export function toldIn(
  explanation: Explanation,
  given: Locale,
): { readonly explanation: Explanation; readonly locale: Locale } {
  const { schema, locale } = schemaIn(explanation.schema, given);
  if (locale === given) return { explanation, locale };
  const { goal, output } = explanation;
  const own = { ...explanation, schema };
  if (!explanation.outputs.includes(output)) return { explanation: own, locale };
  const word = <T>(name: T): T | string => (typeof name === "string" ? dataWord(name, locale) : name);
  return {
    explanation: {
      ...own,
      output: word(output),
      outputs: explanation.outputs.map(word),
      goal: goal.kind === "each" ? { ...goal, target: targetIn(goal.target, word) } : goal,
    },
    locale,
  };
}

function targetIn(target: Target, word: <T>(name: T) => T | string): Target {
  if (!("class" in target))
    return { ...target, ...(target.output === undefined ? {} : { output: word(target.output) }) };
  const { class: wanted } = target;
  return { ...target, class: Array.isArray(wanted) ? wanted.map(word) : word(wanted) } as Target;
}

import { dataWord } from "./data-words.ts";
import type { Locale } from "./locales/contract.ts";
import { fill } from "./sentences.ts";

/** What the library said of a row, in the words of the locale, sentence by sentence; what it has none for stays. */
export function translate(text: string, locale: Locale): string {
  const { messages } = locale;
  return text
    .split(/(?<=\.) (?=\p{Lu})/u)
    .map((sentence) => {
      for (const [template, words] of Object.entries(messages)) {
        const values = valuesIn(template, sentence);
        if (values) return fill(words, inWords(values, locale));
      }
      return sentence;
    })
    .join(" ");
}

/** Values that are labels of the data, one or several, as the locale calls them. */
function inWords(values: Record<string, string>, locale: Locale): Record<string, string> {
  if (!locale.dataWords) return values;
  const told = (value: string): string =>
    value
      .split(" + ")
      .map((part) => dataWord(part, locale))
      .join(" + ");
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, told(value)]));
}

/** The values with which the template gives the text; undefined where none do. */
function valuesIn(template: string, text: string): Record<string, string> | undefined {
  const pattern = template
    .split(/\{(\w+)\}/)
    .map((part, i) => (i % 2 ? `(?<${part}>.+?)` : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("");
  const found = new RegExp(`^${pattern}$`, "s").exec(text);
  return found ? { ...found.groups } : undefined;
}

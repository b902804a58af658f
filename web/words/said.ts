import type { Locale } from "../../show/locales/contract.ts";
import { en } from "../../show/locales/en.ts";
import type { Words } from "../../show/locales/en-words.ts";
import { translate } from "../../show/messages.ts";
import { fill } from "../../show/sentences.ts";
import type { Message, StudioLocale, StudioWords } from "./contract.ts";
import { enStudio } from "./en.ts";

type Values = Readonly<Record<string, string>>;

/** How the studio speaks in one language. */
export interface Said {
  readonly locale: Locale;
  /** A sentence of the studio, or one that it shares with the report. */
  say(key: keyof StudioWords | keyof Words, values?: Values): string;
  tell(message: Message): string;
  /** A title that comes from elsewhere in English. */
  title(text: string): string;
  /** A number of things: large ones in groups of three digits. */
  count(number: number): string;
}

/** The languages of the studio, and how each is fetched: a page loads only the one it speaks. */
export const languages: Readonly<Record<string, { title: string; load(): Promise<StudioLocale> }>> = {
  en: { title: "English", load: async () => english },
  de: {
    title: "Deutsch",
    load: async () => (await import("./de.ts")).german,
  },
};

export const english: StudioLocale = { locale: en, words: enStudio, titles: {} };

export function saidIn({ locale, words, titles }: StudioLocale): Said {
  const all = { ...locale.words, ...words };
  const say: Said["say"] = (key, values = {}) => fill(all[key], values);
  const known = { ...locale, messages: { ...titles, ...locale.messages } };
  const meant = (told: string): string =>
    told.replaceAll(
      /\(did you mean ("(?:[^"\\]|\\.)*")\?\)/g,
      (_, name: string) => `(${say("didYouMean", { name })})`,
    );
  const title: Said["title"] = (text) => titles[text] ?? meant(translate(text, known));
  return {
    locale,
    say,
    title,
    tell: (message) => (typeof message === "string" ? title(message) : say(message.key, message.values)),
    count: (number) => number.toLocaleString(locale.lang),
  };
}

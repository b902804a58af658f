import type { Locale } from "../../show/locales/contract.ts";
import type { enStudio } from "./en.ts";

/** The sentences of the studio; templates as in a locale (`{name}`, `{name|one|other}`). */
export type StudioWords = Readonly<Record<keyof typeof enStudio, string>>;

/** A sentence that is chosen now and said when it is shown, in the language of that moment. */
export interface Saying {
  readonly key: keyof StudioWords;
  readonly values?: Readonly<Record<string, string>>;
}

/** A sentence of the studio, or the words of the library or the server as they came. */
export type Message = string | Saying;

/** Everything the studio says in one language. */
export interface StudioLocale {
  readonly locale: Locale;
  readonly words: StudioWords;
  /** Titles of methods and data that come from elsewhere in English, in this language. */
  readonly titles: Readonly<Record<string, string>>;
}

import type { Locale } from "../../../show/locales/contract.ts";
import { de } from "../../../show/locales/de.ts";
import { en } from "../../../show/locales/en.ts";

/** German with one English heading. */
export const forgetsAWord: Locale = {
  ...de,
  id: "a word",
  words: { ...de.words, notNeeded: en.words.notNeeded },
};

/** German with one English proof. */
export const forgetsASentence: Locale = { ...de, id: "a sentence", noneReferences: en.noneReferences };

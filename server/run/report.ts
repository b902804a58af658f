import type { Blobs, Ref } from "../../node/store/blobs.ts";
import { letterHtml } from "../../show/letter/html.ts";
import { letterOf, rowCalled } from "../../show/letter/letter.ts";
import { letterText } from "../../show/letter/text.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { cardOf, type MethodCard } from "../../show/method-card/card.ts";
import { cardHtml } from "../../show/method-card/html.ts";
import { cardMarkdown } from "../../show/method-card/markdown.ts";
import { reportHtml } from "../../show/report/report.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { upgradeExplanation } from "../../src/upgrade.ts";
import { resultOf } from "./result.ts";

/** What a letter is asked with. */
export interface LetterAsked {
  /** The person: the id of the row. */
  readonly row: string;
  readonly date: string;
  readonly locale: string;
  readonly format: "html" | "text";
  readonly sender?: string | undefined;
}

/** The letter that `cola letter` writes of a row of a kept explanation. */
export async function letterFrom(blobs: Blobs, result: Ref, asked: LetterAsked): Promise<string> {
  const { row, date, locale, format, sender } = asked;
  const explanation = await explanationOf(blobs, result);
  const options = { date, locale: localeNamed(locale), ...(sender ? { sender } : {}) };
  const letter = letterOf(explanation, rowCalled(explanation, row), options);
  return format === "html" ? letterHtml(letter) : letterText(letter);
}

/** What a method card is asked with. */
export interface CardAsked extends ReportAsked {
  readonly format: keyof typeof CARDS;
}

/** The method card that `cola card` writes of a kept explanation. */
export async function cardFrom(blobs: Blobs, result: Ref, asked: CardAsked): Promise<string> {
  const { date, locale, format } = asked;
  const explanation = await explanationOf(blobs, result);
  return CARDS[format](cardOf(explanation, { date, locale: localeNamed(locale) }));
}

const CARDS = {
  html: cardHtml,
  markdown: cardMarkdown,
  json: (card: MethodCard): string => `${JSON.stringify(card)}\n`,
} as const;

/** What a report is asked with. */
export interface ReportAsked {
  readonly date: string;
  readonly locale: string;
}

/** The page that `cola report` writes of a kept explanation. */
export async function reportOf(blobs: Blobs, result: Ref, { locale, date }: ReportAsked): Promise<string> {
  return reportHtml(await explanationOf(blobs, result), { locale: localeNamed(locale), date });
}

async function explanationOf(blobs: Blobs, result: Ref): Promise<Explanation> {
  const explanation = upgradeExplanation(resultOf(result, await blobs.get(result)));
  if (explanation) return explanation;
  throw new ColaError("FILE_UNREADABLE", `report: the kept result ${result} is not an explanation.`);
}

import { isColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { letterCode } from "./letter/code.ts";
import { letterHtml } from "./letter/html.ts";
import { letterOf } from "./letter/letter.ts";
import { letterText } from "./letter/text.ts";
import type { Locale } from "./locales/contract.ts";
import { cardOf } from "./method-card/card.ts";
import { cardHtml } from "./method-card/html.ts";
import { cardMarkdown } from "./method-card/markdown.ts";
import type { ReasonCodes } from "./reasons.ts";
import { reportHtml } from "./report/report.ts";

/** What a letter, report or method card is held against. */
export interface PaperParts {
  readonly explanation: Explanation;
  readonly localeNamed: (name: string) => Locale;
  /** The reason codes it was written with. */
  readonly codes?: ReasonCodes;
}

export interface CheckedPaper {
  readonly kind: "letter" | "report" | "card";
  readonly ok: boolean;
  /** What does not match, in English. */
  readonly why?: string;
}

const CODE = /\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}\b/g;
/** Day and wording, which stand under every paper. */
const MADE = /(?<date>\d{4}-\d\d-\d\d) · (?<lang>[a-z]+)-\d+ · (?<card>cola-card · )?/g;

/** The rows that a report carries packed. */
const ROWS = /(?<=<script type="text\/plain" id="data">)[^<]*/;

const isPage = (text: string): boolean => /^<!doctype html>/i.test(text);

/** What stands under a paper: the last line of its kind, since names before it may look like one. */
const madeOf = (text: string): { date: string; lang: string; card?: string } | undefined =>
  [...text.matchAll(MADE)].at(-1)?.groups as { date: string; lang: string; card?: string } | undefined;

/** What kind of paper a text is; undefined for others. */
export function paperKind(text: string): CheckedPaper["kind"] | undefined {
  if (isPage(text) && text.includes('id="plans"')) return "report";
  const made = madeOf(text);
  if (!made || text.match(CODE) === null) return undefined;
  return made.card ? "card" : "letter";
}

/** Writes the paper again from the explanation and says where it differs; undefined for a file that is not such a paper. */
export async function checkPaper(text: string, parts: PaperParts): Promise<CheckedPaper | undefined> {
  const kind = paperKind(text);
  if (!kind) return undefined;
  try {
    const why = await FAULTS[kind](text, parts);
    return { kind, ok: why === undefined, ...(why === undefined ? {} : { why }) };
  } catch (error) {
    if (!isColaError(error)) throw error;
    return { kind, ok: false, why: `it cannot be written again from the explanation (${error.message})` };
  }
}

function letterFault(text: string, { explanation, localeNamed, codes = {} }: PaperParts): string | undefined {
  const { date, lang } = madeOf(text)!;
  const codesIn = new Set(text.match(CODE));
  const page = isPage(text);
  const sender = page ? plain(/<p class="sender">(.*?)<\/p>/s.exec(text)?.[1] ?? "") : senderIn(text);
  const row = explanation.rows.find((one) => codesIn.has(letterCode(explanation, one, date, sender)));
  if (!row)
    return "its code belongs to no row of the explanation on its date: the code, date, sender, row or result is a different one";
  const letter = letterOf(explanation, row, { date, locale: localeNamed(lang), codes, sender });
  return difference(text, page ? letterHtml(letter) : letterText(letter));
}

/** The first line, where a blank one follows that is not the one after the title. */
function senderIn(text: string): string {
  const [first = "", second, third] = text.split("\n");
  return second === "" && third !== undefined && !/: /.test(third) ? first : "";
}

async function reportFault(
  text: string,
  { explanation, localeNamed, codes = {} }: PaperParts,
): Promise<string | undefined> {
  const lang = /<html lang="([a-z]+)"/.exec(text)?.[1];
  if (lang === undefined) return "it does not say its language";
  const date = /<time datetime="(\d{4}-\d\d-\d\d)">/.exec(text)?.[1];
  const dated = date === undefined ? {} : { date };
  const written = await reportHtml(explanation, { locale: localeNamed(lang), reasons: codes, ...dated });
  if (text !== written && text.replace(ROWS, "") === written.replace(ROWS, ""))
    return "the rows packed in it are not those that the explanation gives";
  return difference(text, written);
}

function cardFault(text: string, { explanation, localeNamed }: PaperParts): string | undefined {
  const { date, lang } = madeOf(text)!;
  const card = cardOf(explanation, { date, locale: localeNamed(lang) });
  return difference(text, isPage(text) ? cardHtml(card) : cardMarkdown(card));
}

const FAULTS = { letter: letterFault, report: reportFault, card: cardFault } as const;

/** Where two texts part, with what each says there. */
function difference(given: string, written: string): string | undefined {
  if (given === written) return undefined;
  let at = 0;
  while (given[at] === written[at]) at++;
  const around = (text: string): string => JSON.stringify(plain(text.slice(Math.max(0, at - 24), at + 24)));
  return `it says ${around(given)} where the explanation gives ${around(written)}`;
}

const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>?/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .trim();

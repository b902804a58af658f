import { isColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { letterCode } from "./letter/code.ts";
import { letterHtml } from "./letter/html.ts";
import { letterOf } from "./letter/letter.ts";
import { letterText } from "./letter/text.ts";
import type { Locale } from "./locales/contract.ts";
import type { ReasonCodes } from "./reasons.ts";
import { reportHtml } from "./report/report.ts";

/** What a letter or report is held against. */
export interface PaperParts {
  readonly explanation: Explanation;
  readonly localeNamed: (name: string) => Locale;
  /** The reason codes it was written with. */
  readonly codes?: ReasonCodes;
}

export interface CheckedPaper {
  readonly kind: "letter" | "report";
  readonly ok: boolean;
  /** What does not match, in English. */
  readonly why?: string;
}

const CODE = /\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}\b/;
/** Day and wording, which stand under every letter. */
const MADE = /(\d{4}-\d\d-\d\d) · ([a-z]+)-\d+ · /;

/** What kind of paper a text is; undefined for others. */
export function paperKind(text: string): CheckedPaper["kind"] | undefined {
  if (MADE.test(text) && CODE.test(text)) return "letter";
  return /^<!doctype html>/i.test(text) && text.includes('id="plans"') ? "report" : undefined;
}

/** Writes the paper again from the explanation and says where it differs; undefined for what is neither letter nor report. */
export async function checkPaper(text: string, parts: PaperParts): Promise<CheckedPaper | undefined> {
  const kind = paperKind(text);
  if (!kind) return undefined;
  try {
    const why = kind === "letter" ? letterFault(text, parts) : await reportFault(text, parts);
    return { kind, ok: why === undefined, ...(why === undefined ? {} : { why }) };
  } catch (error) {
    if (!isColaError(error)) throw error;
    return { kind, ok: false, why: `it cannot be written again from the explanation (${error.message})` };
  }
}

function letterFault(text: string, { explanation, localeNamed, codes = {} }: PaperParts): string | undefined {
  const [, date, lang] = MADE.exec(text)!;
  const code = CODE.exec(text)![0];
  const page = /^<!doctype html>/i.test(text);
  const sender = page ? plain(/<p class="sender">(.*?)<\/p>/s.exec(text)?.[1] ?? "") : senderIn(text);
  const row = explanation.rows.find((one) => letterCode(explanation, one, date!, sender) === code);
  if (!row)
    return "its code is that of no row of the explanation on its date: code, date, sender, row or result is another";
  const letter = letterOf(explanation, row, { date: date!, locale: localeNamed(lang!), codes, sender });
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
  if (lang === undefined) return "it says no language";
  return difference(text, await reportHtml(explanation, { locale: localeNamed(lang), reasons: codes }));
}

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

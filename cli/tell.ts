import pc from "picocolors";
import { checkWritable, checkWritableFile } from "../node/files.ts";
import { groupsText } from "../show/groups.ts";
import type { Locale } from "../show/locales/contract.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { translate } from "../show/messages.ts";
import { fill, formatNumber, noteSentence } from "../show/sentences.ts";
import { explanationText, type Paint } from "../show/text.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import type { WorkOptions } from "../src/types.ts";
import { answered } from "../study/answer.ts";
import { type Asked, PURPOSES } from "../study/asked.ts";
import type { Given } from "../study/options.ts";
import { openedOf, type Posed, questionOf, type Study } from "../study/study.ts";
import { writeCertificate } from "./certificate.ts";
import { asTyped } from "./names.ts";
import {
  printExplanation,
  printedKind,
  printResult,
  readReasons,
  resultKinds,
  writeResults,
} from "./results.ts";
import { EXIT, exitCodeFor } from "./run.ts";
import { dropShards, explainInShards, joinedNote, nothingIn, stoppedNote } from "./shards.ts";
import { dayOf } from "./today.ts";

/** Colours only where a person looks: a terminal, and NO_COLOR not set. */
const colours = pc.createColors(Boolean(process.stdout.isTTY) && !process.env["NO_COLOR"]);
export const paint: Paint = { bold: colours.bold, dim: colours.dim, good: colours.green, bad: colours.red };

/** Refuses unknown names, and a place where nothing can be written, before any work is done. */
export function checkNames(given: Given): void {
  resultKinds(given.formats ?? []);
  localeOf(given);
  readReasons(given.reasons);
  checkSchemaPlace(given);
  dayOf(given.date);
  if (given.certificate) checkWritableFile(given.certificate);
  if (given.out === "-") printedKind(given.formats);
  else checkWritable(given.out ?? "out");
}

/** --save-schema names a place where a file can be made, or standard output where nothing else is for programs. */
function checkSchemaPlace({ saveSchema, json, out }: Given): void {
  if (saveSchema === undefined) return;
  const other = json ? "--json" : out === "-" ? "--out -" : undefined;
  if (saveSchema === "-" && other) {
    throw new ColaError(
      "OPTION_INVALID",
      `--save-schema - and ${other} would both print on standard output; name a file for the schema.`,
    );
  }
  checkWritableFile(saveSchema);
}

export const localeOf = ({ locale = "en" }: Given): Locale => localeNamed(locale);

/** Explains, writes the files, prints the result; the exit code says how it went. */
export async function tell(
  study: Study,
  posed: Posed,
  work: WorkOptions,
  asked: Asked,
  text = (explanation: Explanation): string => resultText(study, explanation, asked),
): Promise<number> {
  const { options: given, data } = study;
  const { x } = posed;
  const kinds = resultKinds(given.formats ?? ["html", "csv"]);
  const codes = readReasons(given.reasons, data.schema);
  const { limits: _, ...watch } = work;
  const input = { ...watch, ...questionOf(study, posed) };
  const note = x.rows > (given.shardRows ?? 0) ? joinedNote(input) : undefined;
  if (note) process.stderr.write(`${note}\n`);
  const question = { opened: openedOf(study, posed.references), input };
  const found =
    x.rows === 0 ? nothingIn(question, data.rows) : await explainInShards(given, question, work, asked);
  const { done, stopped } = found;
  const explanation = await answered(study, found.explanation, work);
  const locale = localeOf(given);
  const options = { reasons: codes, locale, plainCsv: given.plainCsv, date: dayOf(given.date) };
  const printed = given.out === "-";
  const certified = given.certificate
    ? await writeCertificate(given.certificate, study, posed, explanation, watch)
    : [];
  const files = printed ? [] : await writeResults(given.out ?? "out", explanation, kinds, options);
  if (stopped) process.stderr.write(`${stoppedNote(done, input)}\n`);
  else dropShards(found.files);
  const aside = given.json || printed ? process.stderr : process.stdout;
  for (const told of certified) aside.write(`${paint.dim(told)}\n`);
  for (const note of [...data.notes, ...study.notes, ...posed.notes])
    aside.write(`${paint.dim(asTyped(noteSentence(note, locale)))}\n`);
  if (x.rows === 0) aside.write(`${locale.words.textNothing}\n`);
  if (printed) await printResult(explanation, given.formats, options);
  else if (given.json) printExplanation(explanation);
  else {
    if (x.rows > 0) process.stdout.write(text(explanation));
    process.stdout.write(`${fill(locale.words.textWritten, { files: files.join(", ") })}\n`);
  }
  return stopped ? EXIT.budget : exitCodeFor(explanation);
}

/** What was explained, the rows one by one, and what that took. */
function resultText(study: Study, explanation: Explanation, asked: Asked): string {
  const locale = localeOf(study.options);
  const groups = explanation.groups ? `\n\n${groupsText(explanation, locale)}` : "";
  const rows = asTyped(explanationText(explanation, { paint, locale })) + groups;
  return `${headText(study, explanation)}\n\n${rows}\n\n${askedText(asked, locale)}\n`;
}

/** How many rows the model was asked to score, and what for. */
function askedText({ counts }: Asked, locale: Locale): string {
  const { words } = locale;
  const purposes = PURPOSES.filter((purpose) => counts[purpose] > 0).map((purpose) =>
    fill(words[`textScored_${purpose}`], { count: formatNumber(counts[purpose], locale) }),
  );
  const count = PURPOSES.reduce((sum, purpose) => sum + counts[purpose], 0);
  return fill(words.textScored, { count: formatNumber(count, locale), purposes: purposes.join(", ") });
}

/** What was explained, in one line. */
function headText({ options: given, data, model }: Study, { rows }: Explanation): string {
  const locale = localeOf(given);
  const { textEmbedded, textQuery, textExplained } = locale.words;
  return fill(textExplained, {
    source: given.dataset ? data.source : given.sql ? textQuery : (given.data ?? textEmbedded),
    rows: formatNumber(data.rows.rows, locale),
    model: translate(model.title, locale),
    count: formatNumber(
      rows.filter(({ status, before }) => status !== "budget" || before !== null).length,
      locale,
    ),
  });
}

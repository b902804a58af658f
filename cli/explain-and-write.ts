import { once } from "node:events";
import { checkWritable, checkWritableFile } from "../node/files.ts";
import { groupsText } from "../show/groups.ts";
import { MOST_ROWS } from "../show/lines.ts";
import type { Locale } from "../show/locales/contract.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { translate } from "../show/messages.ts";
import { type Counts, countsOf } from "../show/saved.ts";
import { fill, formatNumber, noteSentence } from "../show/sentences.ts";
import { explanationText } from "../show/text.ts";
import { isLeak } from "../src/data/leakage.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import type { WorkOptions } from "../src/types.ts";
import { finished } from "../study/answer.ts";
import { type Asked, PURPOSES } from "../study/asked.ts";
import type { Given } from "../study/options.ts";
import { openedOf, type Posed, questionOf, type Study, withAsked } from "../study/study.ts";
import { certifiedOf, writeCertificate } from "./certificate.ts";
import { explainLong, goesPiecewise } from "./explain-long.ts";
import { asTyped } from "./names.ts";
import { paint } from "./paint.ts";
import {
  printExplanation,
  printedKind,
  printResult,
  type ResultKind,
  type ResultOptions,
  readReasons,
  resultKinds,
  STANDARD_KINDS,
  writeResults,
} from "./results.ts";
import { EXIT, exitCodeFor } from "./run.ts";
import { dropShards, explainInShards, joinedNote, nothingIn, type Question, stoppedNote } from "./shards.ts";
import { dayOf } from "./today.ts";

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

/** An explanation that is made, with all its rows or the first of many, and what is told of it. */
interface Outcome {
  readonly explanation: Explanation;
  readonly counts: Counts;
  readonly done: number;
  readonly stopped: boolean;
  /** What was written, and the shards that are kept. */
  readonly written: readonly string[];
  readonly files: readonly string[];
  /** Prints the explanation, where it is not printed yet. */
  readonly print: () => Promise<void> | void;
}

/** Explains, writes the files, prints the result; the exit code says how it went. `most`: rows that are held at once. */
export async function explainAndWrite(
  study: Study,
  posed: Posed,
  work: WorkOptions,
  asked: Asked,
  text = (explanation: Explanation, counts: Counts): string =>
    resultText(study, posed, explanation, counts, asked),
  most = MOST_ROWS,
): Promise<number> {
  const { options: given, data } = study;
  const { x } = posed;
  const { limits: _, ...watch } = work;
  const input = { ...watch, ...questionOf(study, posed) };
  const note = x.rows > (given.shardRows ?? 0) ? joinedNote(input) : undefined;
  if (note) process.stderr.write(`${note}\n`);
  const question = { opened: openedOf(study, posed.references), input };
  const locale = localeOf(given);
  const long = x.rows > most && goesPiecewise(study, input);
  const reasons = readReasons(given.reasons, data.schema);
  const options = { reasons, locale, plainCsv: given.plainCsv, date: dayOf(given.date) };
  const made = await (long ? madeLong : madeWhole)({ study, posed, question, work, asked, options });
  const { explanation, counts } = made;
  if (made.stopped) process.stderr.write(`${stoppedNote(made.done, input)}\n`);
  else dropShards(made.files);
  const printed = given.out === "-";
  const aside = given.json || printed ? process.stderr : process.stdout;
  for (const note of [...data.notes.filter((one) => !isLeak(one)), ...study.notes, ...posed.notes])
    aside.write(`${paint.dim(asTyped(noteSentence(note, locale)))}\n`);
  if (x.rows === 0) aside.write(`${locale.words.textNothing}\n`);
  if (printed || given.json) await made.print();
  else {
    if (x.rows > 0) process.stdout.write(text(explanation, counts));
    process.stdout.write(`${fill(locale.words.textWritten, { files: made.written.join(", ") })}\n`);
  }
  return made.stopped ? EXIT.budget : exitCodeFor(new Set(counts.status.keys()));
}

interface Making {
  readonly study: Study;
  readonly posed: Posed;
  readonly question: Question;
  readonly work: WorkOptions;
  readonly asked: Asked;
  readonly options: ResultOptions;
}

/** Explains, and writes the result with all its rows. */
async function madeWhole({ study, posed, question, work, asked, options }: Making): Promise<Outcome> {
  const { options: given, data } = study;
  const certified = given.certificate ? certifiedOf(study, question.opened.setup.goal) : undefined;
  const found =
    posed.x.rows === 0 ? nothingIn(question, data.rows) : await explainInShards(given, question, work, asked);
  const explanation = await finished(study, withAsked(study, found.explanation), work);
  const printed = given.out === "-";
  const { limits: _, ...watch } = work;
  const said = certified
    ? await writeCertificate(given.certificate!, certified, posed, explanation, watch)
    : [];
  const written = printed ? [] : await writeResults(given.out ?? "out", explanation, kindsOf(given), options);
  const aside = given.json || printed ? process.stderr : process.stdout;
  for (const line of said) aside.write(`${paint.dim(line)}\n`);
  const print = () =>
    printed ? printResult(explanation, given.formats, options) : printExplanation(explanation);
  return { ...found, explanation, counts: countsOf(explanation), written, print };
}

/** Explains, and writes the result some rows at a time. */
async function madeLong({ study, question, work, asked, options }: Making): Promise<Outcome> {
  const { json, out } = study.options;
  const print = json || out === "-" ? printed : undefined;
  const wanted = { kinds: kindsOf(study.options), options, print };
  return { ...(await explainLong(study, question, work, asked, wanted)), print: () => {} };
}

/** Prints a line, at the pace of who reads it: what nobody has read yet would be held in memory. */
async function printed(line: string): Promise<void> {
  if (!process.stdout.write(line)) await once(process.stdout, "drain");
}

const kindsOf = ({ formats }: Given): ResultKind[] => resultKinds(formats ?? STANDARD_KINDS);

/** What was explained, the rows one by one, and what that took. */
function resultText(
  study: Study,
  posed: Posed,
  explanation: Explanation,
  counts: Counts,
  asked: Asked,
): string {
  const locale = localeOf(study.options);
  const groups = explanation.groups ? `\n\n${groupsText(explanation, locale)}` : "";
  const rows = asTyped(explanationText(explanation, { paint, locale, counts })) + groups;
  return `${headText(study, posed, counts)}\n\n${rows}\n\n${askedText(asked, locale)}\n`;
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
function headText({ options: given, data, model }: Study, { of }: Posed, { reached }: Counts): string {
  const locale = localeOf(given);
  const { textEmbedded, textQuery, textExplained, textBeside } = locale.words;
  const known = formatNumber(data.rows.rows, locale);
  return fill(textExplained, {
    source: given.dataset ? data.source : given.sql ? textQuery : (given.data ?? textEmbedded),
    rows: given.references && of !== undefined ? formatNumber(of, locale) : known,
    beside: given.references ? fill(textBeside, { file: given.references, rows: known }) : "",
    model: translate(model.title, locale),
    count: formatNumber(reached, locale),
  });
}

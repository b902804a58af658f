import { basename } from "node:path";
import pc from "picocolors";
import { checkWritable, checkWritableFile } from "../node/files.ts";
import type { Locale } from "../show/locales/contract.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { fill, formatNumber } from "../show/sentences.ts";
import { explanationText, type Paint } from "../show/text.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { methodOf } from "../src/run/choices.ts";
import type { ExplainInput } from "../src/run/open.ts";
import type { Matrix, Model, Target, WorkOptions } from "../src/types.ts";
import type { Loaded } from "./inputs.ts";
import { asTyped } from "./names.ts";
import type { Given } from "./options.ts";
import { printedKind, printResult, readReasons, resultKinds, writeResults } from "./results.ts";
import { EXIT, exitCodeFor, limitMs } from "./run.ts";
import { dropShards, explainInShards, joinedNote, nothingIn, stoppedNote } from "./shards.ts";

/** Colours only where a person looks: a terminal, and NO_COLOR not set. */
const colours = pc.createColors(Boolean(process.stdout.isTTY) && !process.env["NO_COLOR"]);
export const paint: Paint = { bold: colours.bold, dim: colours.dim, good: colours.green, bad: colours.red };

/** Refuses unknown names, and a place where nothing can be written, before any work is done. */
export function checkNames(given: Given): void {
  resultKinds(given.formats ?? []);
  localeOf(given);
  readReasons(given.reasons);
  checkSchemaPlace(given);
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

/** Everything a result is made from. */
export interface Case {
  readonly data: Loaded;
  readonly model: Model;
  readonly title: string;
  readonly target: Target;
  /** Rows of the data to explain. */
  readonly chosen: readonly number[];
  readonly x: Matrix;
  readonly references: Matrix;
  readonly pairs?: ArrayLike<number>;
}

/** Explains, writes the files, prints the result; the exit code says how it went. */
export async function tell(given: Given, work: WorkOptions, its: Case): Promise<number> {
  const { data, model, x, references, pairs, chosen, target } = its;
  const kinds = resultKinds(given.formats ?? ["html", "csv"]);
  const codes = readReasons(given.reasons, data.schema);
  let scored = 0;
  const { limits: _, ...watch } = work;
  const timeMs = limitMs(given);
  const input: ExplainInput = {
    ...watch,
    ...(timeMs === undefined ? {} : { limits: { timeMs } }),
    within: {
      charge(rows) {
        scored += rows;
      },
    },
    model,
    x,
    references,
    training: data.rows,
    schema: data.schema,
    ids: data.ids ? chosen.map((i) => data.ids![i]!) : chosen,
    ...(pairs ? { pairs } : {}),
    ...methodOf(given, target),
  };
  const note = x.rows > (given.shardRows ?? 0) ? joinedNote(input) : undefined;
  if (note) process.stderr.write(`${note}\n`);
  const found = x.rows === 0 ? nothingIn(input, data.rows) : await explainInShards(given, data, input, work);
  const { explanation: made, done, stopped } = found;
  const explanation = { ...made, options: { ...made.options, ...asked(given, its) } };
  const locale = localeOf(given);
  const options = { reasons: codes, locale, plainCsv: given.plainCsv };
  const printed = given.out === "-";
  const files = printed ? [] : await writeResults(given.out ?? "out", explanation, kinds, options);
  if (stopped) process.stderr.write(`${stoppedNote(done, input)}\n`);
  else dropShards(found.files);
  const aside = given.json || printed ? process.stderr : process.stdout;
  for (const note of data.notes) aside.write(`${paint.dim(note)}\n`);
  if (x.rows === 0) aside.write(`${locale.words.textNothing}\n`);
  if (printed) await printResult(explanation, given.formats, options);
  else if (given.json) process.stdout.write(`${JSON.stringify(explanation)}\n`);
  else {
    if (x.rows > 0) process.stdout.write(resultText(given, its, explanation, scored));
    process.stdout.write(`${fill(locale.words.textWritten, { files: files.join(", ") })}\n`);
  }
  return stopped ? EXIT.budget : exitCodeFor(explanation);
}

/** What was explained, the rows one by one, and what that took. */
function resultText(given: Given, its: Case, explanation: Explanation, scored: number): string {
  const locale = localeOf(given);
  const rows = asTyped(explanationText(explanation, { paint, locale }));
  const work = fill(locale.words.textScored, { count: formatNumber(scored, locale) });
  return `${headText(given, its, explanation)}\n\n${rows}\n\n${work}\n`;
}

/** What was asked of the command itself, beside the options of `explain`: the method card lists both. */
function asked(given: Given, { data, title }: Case): Record<string, unknown> {
  const { data: path, counterfactuals, generator = "knn" } = given;
  return {
    data: path && !given.sql ? basename(path) : data.source,
    model: title,
    ...(data.groups?.length ? { indicators: data.groups } : {}),
    ...(counterfactuals ? { counterfactuals: basename(counterfactuals) } : { generator }),
  };
}

/** What was explained, in one line. */
function headText(given: Given, { data, title }: Case, { rows }: Explanation): string {
  const locale = localeOf(given);
  const { textEmbedded, textQuery, textExplained } = locale.words;
  return fill(textExplained, {
    source: given.dataset ? data.source : given.sql ? textQuery : (given.data ?? textEmbedded),
    rows: formatNumber(data.rows.rows, locale),
    model: title,
    count: formatNumber(rows.length, locale),
  });
}

import { basename } from "node:path";
import pc from "picocolors";
import { checkWritable } from "../node/files.ts";
import type { Locale } from "../show/locales/contract.ts";
import { localeNamed } from "../show/locales/registry.ts";
import { fill, formatNumber } from "../show/sentences.ts";
import { explanationText, type Paint } from "../show/text.ts";
import { couplingNamed } from "../src/couple/registry.ts";
import type { Explanation } from "../src/explanation.ts";
import { generatorNamed } from "../src/generate/registry.ts";
import { methodOf } from "../src/run/choices.ts";
import type { ExplainInput } from "../src/run/open.ts";
import type { Matrix, Model, Target, WorkOptions } from "../src/types.ts";
import type { Loaded } from "./inputs.ts";
import type { Given } from "./options.ts";
import { printedKind, printResult, readReasons, resultKinds, writeResults } from "./results.ts";
import { EXIT, exitCodeFor } from "./run.ts";
import { dropShards, explainInShards, joinedNote, stoppedNote } from "./shards.ts";

/** Colours only where a person looks: a terminal, and NO_COLOR not set. */
const colours = pc.createColors(Boolean(process.stdout.isTTY) && !process.env["NO_COLOR"]);
export const paint: Paint = { bold: colours.bold, dim: colours.dim, good: colours.green, bad: colours.red };

/** Refuses unknown names, and a place where nothing can be written, before any work is done. */
export function checkNames(given: Given): void {
  if (given.generator) generatorNamed(given.generator);
  const { coupling } = given;
  if (coupling && coupling !== "match" && coupling !== "joint") couplingNamed(coupling);
  resultKinds(given.formats ?? []);
  localeOf(given);
  readReasons(given.reasons);
  if (given.out === "-") printedKind(given.formats);
  else checkWritable(given.out ?? "out");
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
  const codes = readReasons(given.reasons);
  let scored = 0;
  const input: ExplainInput = {
    ...work,
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
  const { explanation: made, done, stopped } = await explainInShards(given, data, input);
  const explanation = { ...made, options: { ...made.options, ...asked(given, its) } };
  const locale = localeOf(given);
  const options = { reasons: codes, locale };
  const printed = given.out === "-";
  const files = printed ? [] : await writeResults(given.out ?? "out", explanation, kinds, options);
  if (stopped) process.stderr.write(`${stoppedNote(done, input)}\n`);
  else dropShards(given);
  const aside = given.json || printed ? process.stderr : process.stdout;
  for (const note of data.notes) aside.write(`${paint.dim(note)}\n`);
  if (printed) await printResult(explanation, given.formats, options);
  else if (given.json) process.stdout.write(`${JSON.stringify(explanation)}\n`);
  else {
    process.stdout.write(`${headText(given, its, explanation)}\n\n`);
    process.stdout.write(`${explanationText(explanation, { paint, locale })}\n\n`);
    process.stdout.write(`${fill(locale.words.textScored, { count: formatNumber(scored, locale) })}\n`);
    process.stdout.write(`${fill(locale.words.textWritten, { files: files.join(", ") })}\n`);
  }
  return stopped ? EXIT.budget : exitCodeFor(explanation);
}

/** What was asked of the command itself, beside the options of `explain`: the method card lists both. */
function asked(given: Given, { data, title }: Case): Record<string, string> {
  const { data: path, counterfactuals, generator = "knn" } = given;
  return {
    data: path && !given.sql ? basename(path) : data.source,
    model: title,
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

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TableFormat, writeTable } from "../formats/index.ts";
import { writeTogether } from "../node/files.ts";
import { explanationTables } from "../show/export.ts";
import { outerLines } from "../show/lines.ts";
import { reportOf, SAMPLE } from "../show/report/report.ts";
import { placeOf } from "../show/report/rows-section.ts";
import { bothCounts, type Counts, countsOf } from "../show/saved.ts";
import { digestOfRows } from "../src/digest.ts";
import { ColaError } from "../src/errors.ts";
import type { ExplainedRow, Explanation } from "../src/explanation.ts";
import { headOf } from "../src/run/assemble.ts";
import type { Run } from "../src/run/contract.ts";
import { joinedBy, type Part, type Tally, together, unreached } from "../src/run/merge.ts";
import type { ExplainInput } from "../src/run/open.ts";
import type { Table, WorkOptions } from "../src/types.ts";
import type { Asked } from "../study/asked.ts";
import { basisOf } from "../study/basis.ts";
import { type Study, withAsked } from "../study/study.ts";
import { keepShard, shardLines } from "./kept.ts";
import { type ResultKind, type ResultOptions, resultKinds, STANDARD_KINDS } from "./results.ts";
import { isLate, overShards, type Place, type Question } from "./shards.ts";

/** Kinds of results that are written some rows at a time. */
const PIECEWISE = ["html", "csv", "tsv", "json", "jsonl"] as const satisfies readonly ResultKind[];
type Piecewise = (typeof PIECEWISE)[number];

/** Rows told to people one by one. */
const SHOWN = 20;
/** Rows that were not reached are written so many at a time. */
const PIECE = 1000;

/** What is left of an explanation that was written some rows at a time. */
interface LongResult {
  /** The explanation with its first rows. */
  readonly explanation: Explanation;
  readonly counts: Counts;
  /** What was written, and the shards that are kept. */
  readonly written: readonly string[];
  readonly files: readonly string[];
  readonly done: number;
  readonly stopped: boolean;
}

/** Can the result be written without ever holding all rows? */
export function goesPiecewise({ options: given }: Study, input: ExplainInput): boolean {
  const { certificate, by, formats, out } = given;
  const each = certificate === undefined && by === undefined && joinedBy(input) === undefined;
  const kinds = resultKinds(formats ?? (out === "-" ? [] : STANDARD_KINDS));
  return each && kinds.every((kind) => isPiecewise(kind) && out !== "-");
}

const isPiecewise = (kind: ResultKind): kind is Piecewise => (PIECEWISE as readonly string[]).includes(kind);

interface Wanted {
  readonly kinds: readonly ResultKind[];
  readonly options: ResultOptions;
  /** Gets each line of the explanation as soon as all before it are known. */
  readonly print?: ((line: string) => Promise<void>) | undefined;
}

type Head = Omit<Explanation, "rows">;

/** Of a shard whose rows are on the disk: what goes into the whole, and the rows that people see one by one. */
interface OnDisk {
  readonly path: string;
  readonly tally: Tally;
  readonly counts: Counts;
  readonly first: readonly ExplainedRow[];
  readonly sample: readonly ExplainedRow[];
}

/**
 * Explains and writes rows of any number: of shards that are done, what goes into the whole is held, the rows are on the
 * disk. The files are those of an explanation that is held.
 */
export async function explainLong(
  study: Study,
  question: Question,
  work: WorkOptions,
  asked: Asked,
  { kinds, options, print }: Wanted,
): Promise<LongResult> {
  const { options: given } = study;
  const { rows } = question.input.x;
  const out = given.out === "-" ? undefined : (given.out ?? "out");
  const folder = out ?? mkdtempSync(join(tmpdir(), "cola-"));
  const unkept: string[] = [];
  try {
    const asking = question.opened.question(question.input);
    const run = asking.run();
    const basis = await basisOf(study);
    const head = (tallies: readonly Tally[]): Head => ({
      ...withAsked(study, { ...headOf(run), ...together(tallies, run.goal) }),
      basis,
    });
    const ready = print && inTurn(print);
    await print?.(outerLines(head([])).first);
    const hold = async (part: Part, { s, from, path = "", kept }: Place): Promise<OnDisk> => {
      const at = kept ? path : join(folder, ".shards", `${from}.rows`);
      if (!kept) {
        keepShard(at, part, from);
        unkept.push(at);
      }
      await ready?.(s, at);
      return onDisk(at, part, from, run);
    };
    const { held, files } = await overShards({ ...question, asking, given, folder }, work, asked, hold);
    const reached = held.reduce((sum, { tally }) => sum + tally.status.length, 0);
    const all = [...held];
    for (let from = reached; from < rows; from += PIECE) {
      const part = unreached(run, from, Math.min(rows, from + PIECE));
      all.push(
        await hold(
          { ...part, rows: part.rows.map((row, i) => ({ ...row, row: i })) },
          { s: all.length, from, path: undefined, kept: false },
        ),
      );
    }
    const said = { realism: [], ...head(all.map(({ tally }) => tally)) };
    const whole = { ...said, digest: digestOver(said, all) };
    const counts = all.map((part) => part.counts).reduce(bothCounts);
    const sample = all.flatMap((part) => part.sample);
    const report = kinds.includes("html")
      ? await reportOf({ ...whole, rows: sample }, counts, options)
      : undefined;
    const written = out === undefined ? [] : writePieces(out, { whole, parts: all, report, kinds, options });
    await print?.(outerLines(whole).last);
    const late = isLate(work) && all.some(({ tally }) => tally.status.includes("budget"));
    const stopped = reached < rows || late;
    const done = stopped ? rows - (counts.status.get("budget") ?? 0) : rows;
    return {
      explanation: { ...whole, rows: all.flatMap(({ first }) => first).slice(0, SHOWN) },
      ...{ counts, written, files, done, stopped },
    };
  } finally {
    for (const path of unkept) rmSync(path, { force: true });
    if (out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** `from`: the first row of the part, whose rows are numbered from 0, or from there where they were kept. */
function onDisk(path: string, { tally, rows: own }: Part, from: number, { goal, input }: Run): OnDisk {
  const all = input.x.rows;
  const rows = own.map((row, i) => ({ ...row, row: from + i }));
  const sample: ExplainedRow[] = [];
  const most = Math.min(SAMPLE, all);
  for (let t = Math.ceil((from * most) / all); t < most; t++) {
    const row = rows[placeOf(t, all, most) - from];
    if (!row) break;
    sample.push(row);
  }
  return {
    path,
    tally,
    counts: countsOf({ rows, goal }),
    first: from < SHOWN ? rows.slice(0, SHOWN) : [],
    sample,
  };
}

/** Prints the rows of each shard as soon as those of all before it are printed. */
function inTurn(print: (line: string) => Promise<void>): (s: number, path: string) => Promise<void> {
  const waiting = new Map<number, string>();
  let next = 0;
  let printed = Promise.resolve();
  return (s, path) => {
    waiting.set(s, path);
    for (let at = waiting.get(next); at !== undefined; at = waiting.get(++next)) {
      const ready = at;
      waiting.delete(next);
      printed = printed.then(async () => {
        for (const text of textsOf(ready)) await print(`${text}\n`);
      });
    }
    return printed;
  };
}

function digestOver(whole: Head, parts: readonly OnDisk[]): string {
  const digest = digestOfRows(whole);
  for (const { path } of parts) for (const text of textsOf(path)) digest.row(text);
  return digest.end();
}

/** The rows of a shard of this run as lines. */
function textsOf(path: string): readonly string[] {
  const lines = shardLines(path);
  if (lines) return lines.slice(1);
  throw new ColaError(
    "FILE_UNREADABLE",
    `${path}: the rows kept there were changed while the run went on; run the command again.`,
    { path },
  );
}

interface Pieces {
  readonly whole: Head;
  readonly parts: readonly OnDisk[];
  readonly report: string | undefined;
  readonly kinds: readonly ResultKind[];
  readonly options: ResultOptions;
}

/** Writes the explanation, its tables and the report; the rows are read once. */
function writePieces(out: string, { whole, parts, report, kinds, options }: Pieces): string[] {
  const lines = join(out, "explanation.jsonl");
  const page = join(out, "report.html");
  const formats = kinds.filter(
    (kind): kind is Piecewise & TableFormat => isPiecewise(kind) && kind !== "html",
  );
  const tables = formats.map((format) => {
    const empty = explanationTables({ ...whole, rows: [] }, options);
    return { format, paths: Object.keys(empty).map((name) => join(out, `${name}.${format}`)) };
  });
  const files = [
    lines,
    ...kinds.flatMap((kind) =>
      kind === "html" ? [page] : (tables.find(({ format }) => format === kind)?.paths ?? []),
    ),
  ];
  const begun = new Set<string>();
  writeTogether(files, (put) => {
    put(lines, outerLines(whole).first);
    for (const { path } of parts) {
      const texts = textsOf(path);
      put(lines, texts.map((text) => `${text}\n`).join(""));
      if (formats.length === 0) continue;
      const rows = texts.map((text) => JSON.parse(text) as ExplainedRow);
      for (const [name, table] of Object.entries(explanationTables({ ...whole, rows }, options))) {
        for (const format of formats) {
          const to = join(out, `${name}.${format}`);
          if (table.rows > 0 || isCsv(format)) put(to, pieceOf(table, format, options, begun.has(to)));
          if (table.rows > 0 || isCsv(format)) begun.add(to);
        }
      }
    }
    put(lines, outerLines(whole).last);
    if (report !== undefined) put(page, report);
    for (const file of files) if (file.endsWith(".json") && !begun.has(file)) put(file, "[]\n");
  });
  return files;
}

const isCsv = (format: TableFormat): boolean => format === "csv" || format === "tsv";

/** The rows of a table as text, behind others without the line of names. */
function pieceOf(
  table: Table,
  format: TableFormat,
  { plainCsv }: ResultOptions,
  further: boolean,
): Uint8Array {
  const written = plainCsv ? { formulaSafe: false } : {};
  const bytes = writeTable(table, format, written);
  if (!further || !isCsv(format)) return bytes;
  const none = { ...table, columns: table.columns.map(() => []), rows: 0 };
  return bytes.subarray(writeTable(none, format, written).length);
}

import { once } from "node:events";
import { readArrow } from "../../formats/arrow.ts";
import { readJsonLines } from "../../formats/json-lines.ts";
import { readFileBytes } from "../../node/files.ts";
import { ColaError, isColaError } from "../../src/errors.ts";
import type { Table, WorkOptions } from "../../src/types.ts";
import { type Line, linesOf } from "../../study/lines.ts";
import { openStudy } from "../../study/saved.ts";
import type { Study } from "../../study/study.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";

/** Rows explained at a time. */
const BATCH = 256;
/** 128 + SIGTERM. */
const TERMINATED = 143;

/** Rows in, plans out, in order and without anything kept: for whatever runs a program over standard input. */
export const pipeCommand: CommandSpec = {
  name: "pipe",
  summary:
    "explain rows from standard input by a saved study: JSON lines or Arrow in, one line of JSON for each row out",
  options: ["study", "timeout"],
  examples: ["cola pipe --study study.json < rows.jsonl > plans.jsonl"],
  run: (given) =>
    withWork(given, async (work) => {
      if (!given.study)
        throw new ColaError("OPTION_INVALID", "pipe: give --study, a file of cola study save.");
      const text = new TextDecoder().decode(readFileBytes(given.study, 2 ** 31));
      const study = openStudy(given.study, text);
      const stop = new AbortController();
      const end = (): void => {
        stop.abort();
        process.stdout.write("", () => process.exit(TERMINATED)); // after what was written, which is whole lines
      };
      process.on("SIGTERM", end);
      try {
        return await pipe(study, work, stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return TERMINATED;
        throw error;
      } finally {
        process.off("SIGTERM", end);
      }
    }),
};

async function pipe(study: Study, work: WorkOptions, stop: AbortSignal): Promise<number> {
  let code: number = EXIT.ok;
  for await (const batch of batches(process.stdin)) {
    const lines =
      "lines" in batch ? await ofLines(study, batch.lines, work) : await linesOf(study, batch.table, work);
    if (lines.some(({ status }) => status !== "ok")) code = EXIT.someRows;
    if (stop.aborted) return TERMINATED;
    const whole = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    if (!process.stdout.write(whole)) await once(process.stdout, "drain");
  }
  return code;
}

type Batch = { readonly lines: readonly string[] } | { readonly table: Table };

/** Lines as they arrive, at most some at a time; an Arrow stream is read whole. */
async function* batches(input: AsyncIterable<Buffer>): AsyncGenerator<Batch> {
  const chunks: Buffer[] = [];
  let rest = "";
  let lines: string[] = [];
  let arrow: boolean | undefined;
  const decoder = new TextDecoder("utf-8");
  for await (const chunk of input) {
    arrow ??=
      chunk.subarray(0, 4).equals(Buffer.from([255, 255, 255, 255])) ||
      chunk.subarray(0, 6).equals(Buffer.from("ARROW1"));
    if (arrow) {
      chunks.push(chunk);
      continue;
    }
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    lines.push(...parts.filter((line) => line.trim() !== ""));
    for (; lines.length >= BATCH; lines = lines.slice(BATCH)) yield { lines: lines.slice(0, BATCH) };
  }
  if (arrow) yield* tables(Buffer.concat(chunks));
  const last = rest + decoder.decode();
  if (last.trim() !== "") lines.push(last);
  if (lines.length > 0) yield { lines };
}

function* tables(bytes: Buffer): Generator<Batch> {
  const { names, columns, rows } = readArrow(bytes, { missing: [] });
  for (let from = 0; from < rows; from += BATCH) {
    const to = Math.min(rows, from + BATCH);
    yield { table: { names, columns: columns.map((column) => column.slice(from, to)), rows: to - from } };
  }
}

/** A line that is no JSON object is told as such, and the others keep their plans. */
async function ofLines(study: Study, lines: readonly string[], work: WorkOptions): Promise<Line[]> {
  const read = lines.map((line): string | Line => {
    try {
      readJsonLines(line, { missing: [] });
      return line;
    } catch (error) {
      if (!isColaError(error)) throw error;
      return { status: "invalid_input", reason: error.message, edits: [] };
    }
  });
  const good = read.filter((line) => typeof line === "string");
  const made = good.length > 0 ? await linesOf(study, tableOf(good, study), work) : [];
  let next = 0;
  return read.map((line) => (typeof line === "string" ? made[next++]! : line));
}

/** The lines as a table that has every column of the study. */
function tableOf(lines: readonly string[], { data, options: { id } }: Study): Table {
  const table = readJsonLines(lines.join("\n"), { missing: [] });
  const wanted = [...data.groups.flatMap(({ columns }) => columns), ...data.table.names];
  const groups = new Set(data.groups.map(({ feature }) => feature));
  const lost = wanted.filter((name) => !table.names.includes(name) && !groups.has(name) && name !== id);
  const gaps = lost.map(() => new Array<null>(table.rows).fill(null));
  return { names: [...table.names, ...lost], columns: [...table.columns, ...gaps], rows: table.rows };
}

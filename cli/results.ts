import { join } from "node:path";
import { type TableFormat, tableFormats, writeTable } from "../formats/index.ts";
import { type Content, writeFilesWhole, writeFileWhole } from "../node/files.ts";
import { diceJson } from "../show/dice-json.ts";
import { explanationTables } from "../show/export.ts";
import { renderPng } from "../show/figures/png.ts";
import { figure, figures } from "../show/figures/registry.ts";
import { renderSvg } from "../show/figures/svg.ts";
import { explanationLines, MOST_ROWS } from "../show/lines.ts";
import type { Locale } from "../show/locales/contract.ts";
import { en } from "../show/locales/en.ts";
import { checkReasonCodes } from "../show/reason-codes.ts";
import type { ReasonCodes } from "../show/reasons.ts";
import { reportHtml } from "../show/report/report.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import type { Schema } from "../src/types.ts";
import { readJsonFile } from "./json-file.ts";

/** What can be written beside explanation.json: report, figures, tables in any table format, DiCE's JSON. */
export const RESULT_KINDS = ["html", "svg", "png", "dice", ...tableFormats] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];

/** What is written unless the options say otherwise. */
export const STANDARD_KINDS = ["html", "csv"] as const satisfies readonly ResultKind[];

/** Names of result kinds, each once; an unknown one is refused with those there are. */
export function resultKinds(names: readonly string[]): ResultKind[] {
  return [...new Set(names)].map((name) => {
    const kind = RESULT_KINDS.find((known) => known === name);
    if (kind) return kind;
    throw new ColaError(
      "NAME_UNKNOWN",
      `--formats: there is no ${JSON.stringify(name)}; choose from ${RESULT_KINDS.join(", ")}.`,
      { name },
    );
  });
}

export interface ResultOptions {
  readonly reasons?: ReasonCodes;
  readonly locale?: Locale;
  /** Day of the report. */
  readonly date: string;
  /** Write CSV texts that begin like a formula as they are. */
  readonly plainCsv?: boolean | undefined;
}

/** Writes a result into a folder, once all of it is rendered: its files replace others together; returns the paths. */
export async function writeResults(
  folder: string,
  explanation: Explanation,
  kinds: readonly ResultKind[],
  options: ResultOptions,
): Promise<string[]> {
  const files = await rendered(explanation, kinds, options);
  const placed = files.map(([name, content]) => [join(folder, name), content] as const);
  writeFilesWhole(placed);
  return placed.map(([path]) => path);
}

/** What `--out -` prints: the one kind that is named, else the explanation itself; figures are several files. */
export function printedKind(formats: readonly string[] = []): ResultKind | undefined {
  const kinds = resultKinds(formats);
  if (kinds.length <= 1 && kinds[0] !== "svg" && kinds[0] !== "png") return kinds[0];
  throw new ColaError(
    "OPTION_INVALID",
    `--out - prints one result: leave out --formats, or name one of ${RESULT_KINDS.filter((kind) => kind !== "svg" && kind !== "png").join(", ")}, not ${kinds.join(", ")}.`,
    { kinds },
  );
}

/** Prints the one result that `--out -` asks for. */
export async function printResult(
  explanation: Explanation,
  formats: readonly string[] | undefined,
  options: ResultOptions,
): Promise<void> {
  const kind = printedKind(formats);
  const files = await rendered(explanation, kind ? [kind] : [], options);
  const name = kind === undefined ? files[0]![0] : (PRINTED[kind] ?? `z.${kind}`);
  for (const [file, content] of files) if (file === name) writeFileWhole("-", content);
}

/** Files of the kinds that are not tables. */
const PRINTED: Readonly<Record<string, string>> = { html: "report.html", dice: "dice.json" };

async function rendered(
  explanation: Explanation,
  kinds: readonly ResultKind[],
  options: ResultOptions,
): Promise<[name: string, content: Content][]> {
  const { reasons = {}, locale = en, date } = options;
  const files: [name: string, content: Content][] = [explanationFile(explanation)];
  const put: Put = (name, content) => {
    files.push([name, content]);
  };
  for (const kind of kinds) {
    if (kind === "html") put("report.html", await reportHtml(explanation, { reasons, locale, date }));
    else if (kind === "dice") put("dice.json", `${JSON.stringify(diceJson(explanation))}\n`);
    else if (kind === "svg" || kind === "png") await putFigures(explanation, kind, locale, put);
    else putTables(explanation, kind, options, put);
  }
  return files;
}

/** The reason codes of a file: { FEATURE: { code, text } }; vague wordings and unknown features are refused. */
export function readReasons(path: string | undefined, schema?: Schema): ReasonCodes {
  return path ? checkReasonCodes(path, readJsonFile(path, "reason codes"), schema) : {};
}

/** The explanation itself: one JSON text, or lines where that would be too long. */
function explanationFile(explanation: Explanation): [name: string, content: Content] {
  return explanation.rows.length > MOST_ROWS
    ? ["explanation.jsonl", explanationLines(explanation)]
    : ["explanation.json", `${JSON.stringify(explanation, null, 2)}\n`];
}

/** What --json prints. */
export function printExplanation(explanation: Explanation): void {
  const lines = explanation.rows.length > MOST_ROWS;
  writeFileWhole("-", lines ? explanationLines(explanation) : `${JSON.stringify(explanation)}\n`);
}

type Put = (name: string, content: Uint8Array | string) => void;

/** Every figure; that of the first row where there is one. */
async function putFigures(
  explanation: Explanation,
  kind: "svg" | "png",
  locale: Locale,
  put: Put,
): Promise<void> {
  const names = Object.keys(figures).filter((name) => name !== "waterfall" || explanation.rows.length > 0);
  for (const name of names) {
    const svg = await renderSvg(figure(name, explanation, { locale }));
    put(`${name}.${kind}`, kind === "svg" ? svg : await renderPng(svg));
  }
}

/** A table without rows has no line of JSON, and a file without a letter is not valid JSON. */
function putTables(explanation: Explanation, format: TableFormat, options: ResultOptions, put: Put): void {
  const written = options.plainCsv ? { formulaSafe: false } : {};
  for (const [name, table] of Object.entries(explanationTables(explanation, options))) {
    const none = format === "json" && table.rows === 0;
    put(`${name}.${format}`, none ? "[]\n" : writeTable(table, format, written));
  }
}

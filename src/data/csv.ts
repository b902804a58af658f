import { ColaError } from "../errors.ts";
import type { Cell, Table } from "../types.ts";
import { blank, checkNames, named, withIndexName } from "./column-names.ts";
import { CsvReader, invalid } from "./csv-reader.ts";

export interface CsvOptions {
  /** Default: the one of tab, |, ; and , that is commonest in the header. */
  readonly delimiter?: string;
  /** Cells with these texts, blanks around them apart, are missing; blank ones always are. Default MISSING_TEXTS. */
  readonly missing?: readonly string[];
  /** Default 10 million. */
  readonly maxRows?: number;
  /** Default 10 000. */
  readonly maxColumns?: number;
  /** Drop a column whose name and cells are those of an earlier one. Default false: doubled names are refused. */
  readonly dropRepeated?: boolean;
  /**
   * `1,5` is one and a half: such cells become `1.5`. In a column whose numbers have points only between groups of
   * three digits, as in `30.593,50` or `1.234.567`, these are left out. `auto`: in files with semicolons, tabs or bars of
   * which a column has nothing but such numbers, as spreadsheets write them where the comma is decimal; without
   * semicolons some must not be read as thousands (`1,234`). Default false.
   */
  readonly decimalComma?: boolean | "auto";
  /** Longest cell in characters. Default 1 million. */
  readonly maxCell?: number;
}

/** Texts read as missing unless the caller says otherwise. */
export const MISSING_TEXTS: readonly string[] = ["", ..."NA N/A n/a #N/A <NA> NaN nan null NULL".split(" ")];

/** A number with a decimal comma, with points between its thousands, with any points at all. */
const COMMA = /^\s*[+-]?\d+,\d+\s*$/;
const GROUPED = /^\s*[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?\s*$/;
const WHOLE = /^\s*[+-]?\d+\s*$/;
const POINTED = /^\s*[+-]?[\d,]*\.[\d.,]*\s*$/;

/** Texts of one column that are held once however often they come: a level or an amount, not a name. */
const MOST_KNOWN = 100_000;

/** Rows by which the number of all rows is guessed: arrays that grow step by step take twice the memory. */
const FIRST_ROWS = 1000;

const TAB = 9;
const COMMA_CODE = 44;
const SEMICOLON = 59;

export function isMissing(cell: string, missing: readonly string[]): boolean {
  const text = cell.trim();
  return text === "" || missing.includes(text) || missing.includes(cell);
}

/** First characters that spreadsheets take for a formula, full-width forms included, behind any guards. */
export const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;

/** A text without the apostrophe that files put before what looks like a formula. */
function unguarded(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** Text of a file: UTF-8, or UTF-16 by its byte order mark; the mark is dropped, broken text is refused. */
export function decodeText(bytes: Uint8Array, what = "table"): string {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(bytes);
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  } catch (cause) {
    throw new ColaError(
      "TABLE_INVALID",
      `${what}: the bytes are not ${label} text; save the file as UTF-8.`,
      {},
      cause,
    );
  }
}

/**
 * RFC 4180 with the sloppiness people really have (LF, CR or CRLF mixed; other delimiters; blank lines), and
 * without the kind that changes data: ragged rows, open quotes, NUL characters and doubled or empty column
 * names are refused with their line. Cells stay text; `inferSchema` decides what they mean.
 */
export function readCsv(given: string, options: CsvOptions = {}): Table {
  if (typeof given !== "string")
    throw new ColaError("TABLE_INVALID", "csv: give the text of the file; decodeText makes it from bytes.");
  // Spreadsheets may say in a line of its own which delimiter follows.
  const [said = "", own] = /^sep=(.)\r?\n/.exec(given) ?? [];
  const text = given.slice(said.length);
  const { maxRows = 1e7, maxColumns = 1e4, maxCell = 1e6, decimalComma = false } = options;
  const { missing = MISSING_TEXTS } = options;
  const delimiter = (options.delimiter ?? own ?? sniff(text)).charCodeAt(0);
  const reader = new CsvReader(text, delimiter, maxCell);
  // Files with tabs are not guarded when they are written.
  const guarded = delimiter !== TAB;
  const head = reader.record();
  const names = withIndexName(named(guarded ? head?.map(unguarded) : head));
  if (!names)
    throw new ColaError("TABLE_INVALID", "csv: the file is empty; it needs a header line and rows.");
  if (!options.dropRepeated) checkNames(names, maxColumns);
  const columns: Cell[][] = names.map(() => []);
  const known = names.map(() => new Map<string, Cell>());
  let rows = 0;
  for (let cells = reader.record(); cells; cells = reader.record()) {
    if (cells.length !== head!.length) throw ragged(reader.line, cells.length, head!);
    if (!blank(cells.slice(names.length)))
      throw invalid(reader.line, `has a value behind the last column that has a name; give it one`);
    if (cells.length > 1 && cells.every((cell, k) => cell === head![k]))
      throw invalid(reader.line, "repeats the header, as files do that were put together; remove the line");
    if (++rows > maxRows) {
      throw new ColaError(
        "SIZE_LIMIT",
        `csv: more than ${maxRows} rows; raise maxRows (--max-rows) or split the file.`,
        {
          maxRows,
        },
      );
    }
    for (let k = 0; k < names.length; k++) {
      const text = cells[k]!;
      let cell = known[k]!.get(text);
      if (cell === undefined) {
        cell = isMissing(text, missing) ? null : guarded ? unguarded(text) : text;
        if (known[k]!.size < MOST_KNOWN) known[k]!.set(text, cell);
      }
      columns[k]![rows - 1] = cell;
    }
    if (rows === FIRST_ROWS) for (const column of columns) column.length = reader.rowsFrom(rows);
  }
  for (const column of columns) column.length = rows;
  const spreadsheet = decimalComma === "auto" && delimiter !== COMMA_CODE;
  if (
    decimalComma === true ||
    (spreadsheet && columns.some(delimiter === SEMICOLON ? hasCommas : hasDecimals))
  )
    columns.forEach(readCommas);
  if (rows === 0)
    throw new ColaError("TABLE_INVALID", "csv: there is a header but no row; give at least one.", {
      columns: names,
    });
  return options.dropRepeated ? withoutRepeated(names, columns, rows) : { names, columns, rows };
}

/** Is every value a number, with a decimal comma in some? */
function hasCommas(cells: readonly Cell[]): boolean {
  const texts = cells.filter((cell) => cell !== null).map(String);
  return (
    texts.every((t) => WHOLE.test(t) || COMMA.test(t) || GROUPED.test(t)) &&
    texts.some((t) => t.includes(","))
  );
}

/** Where a comma might stand between thousands, as nothing says that a spreadsheet wrote the file. */
const hasDecimals = (cells: readonly Cell[]): boolean =>
  hasCommas(cells) && !cells.every((cell) => cell === null || /^[^,]*$|,\d{3}\s*$/.test(String(cell)));

/** Numbers with decimal commas, and points between thousands where the column has no others, as this program writes them. */
function readCommas(cells: Cell[]): void {
  const texts = cells as (string | null)[];
  const grouped = !texts.some((cell) => cell !== null && POINTED.test(cell) && !GROUPED.test(cell));
  texts.forEach((cell, i) => {
    if (cell === null) return;
    const plain = grouped && GROUPED.test(cell) ? cell.replaceAll(".", "") : cell;
    cells[i] = COMMA.test(plain) ? plain.replace(",", ".") : plain;
  });
}

function withoutRepeated(names: readonly string[], columns: readonly Cell[][], rows: number): Table {
  const kept = names
    .map((_, k) => k)
    .filter((k) => {
      const first = names.indexOf(names[k]!);
      return first === k || columns[k]!.some((cell, i) => cell !== columns[first]![i]);
    });
  checkNames(kept.map((k) => names[k]!));
  return { names: kept.map((k) => names[k]!), columns: kept.map((k) => columns[k]!), rows };
}

function sniff(text: string): string {
  const end = text.search(/[\r\n]/);
  const header = (end < 0 ? text : text.slice(0, end)).replace(/"[^"]*"/g, "");
  const counts = ["\t", "|", ";", ","].map((d) => [d, header.split(d).length] as const);
  return counts.reduce((a, b) => (b[1] > a[1] ? b : a), [",", 1] as const)[0];
}

function ragged(line: number, cells: number, head: readonly string[]): ColaError {
  const remedy =
    head.length === 1
      ? `which is ${JSON.stringify(head[0])}; remove lines above the header`
      : "quote cells that contain the delimiter";
  const one = head.length === 1 ? "1," : `${head.length};`;
  return invalid(
    line,
    `has ${cells} ${cells === 1 ? "cell" : "cells"} where the header has ${one} ${remedy}`,
  );
}

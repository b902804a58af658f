import { ColaError } from "../errors.ts";

const QUOTE = 34;
const LF = 10;
const CR = 13;

/** The records of a text, one after the other. */
export class CsvReader {
  /** Line the last record began on. */
  line = 0;
  readonly #text: string;
  readonly #delimiter: number;
  readonly #maxCell: number;
  #at = 0;
  #nextLine = 1;

  constructor(text: string, delimiter: number, maxCell: number) {
    this.#text = text;
    this.#delimiter = delimiter;
    this.#maxCell = maxCell;
  }

  /** About how many rows there are, after so many. */
  rowsFrom(rows: number): number {
    return Math.ceil((1.02 * rows * this.#text.length) / this.#at);
  }

  /** The cells of the next record that is not a blank line, or undefined at the end. */
  record(): string[] | undefined {
    const text = this.#text;
    while (this.#at < text.length && this.#lineEnd()) this.#endLine();
    if (this.#at >= text.length) return undefined;
    this.line = this.#nextLine;
    const cells: string[] = [];
    for (;;) {
      cells.push(text.charCodeAt(this.#at) === QUOTE ? this.#quoted() : this.#plain());
      if (this.#at >= text.length) return cells;
      if (text.charCodeAt(this.#at) !== this.#delimiter) {
        this.#endLine();
        return cells;
      }
      this.#at++;
    }
  }

  #lineEnd(): boolean {
    const c = this.#text.charCodeAt(this.#at);
    return c === LF || c === CR;
  }

  #endLine(): void {
    const crlf = this.#text.charCodeAt(this.#at) === CR && this.#text.charCodeAt(this.#at + 1) === LF;
    this.#at += crlf ? 2 : 1;
    this.#nextLine++;
  }

  #plain(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === this.#delimiter || c === LF || c === CR) break;
      if (c === 0) throw this.#nul();
    }
    this.#at = at;
    return this.#checked(text.slice(start, at));
  }

  #quoted(): string {
    const text = this.#text;
    let cell = "";
    let from = this.#at + 1;
    for (;;) {
      const end = text.indexOf('"', from);
      if (end < 0)
        throw invalid(
          this.line,
          "opens a quote that is never closed; close it, or write a quote inside a cell twice",
        );
      cell += text.slice(from, end);
      if (text.charCodeAt(end + 1) !== QUOTE) {
        this.#at = end + 1;
        break;
      }
      cell += '"';
      from = end + 2;
    }
    if (cell.includes("\0")) throw this.#nul();
    for (let c = cell.indexOf("\n"); c >= 0; c = cell.indexOf("\n", c + 1)) this.#nextLine++;
    if (this.#at < text.length && text.charCodeAt(this.#at) !== this.#delimiter && !this.#lineEnd()) {
      throw invalid(this.line, "has text after a closing quote");
    }
    return this.#checked(cell);
  }

  #nul(): ColaError {
    return invalid(this.line, "contains a NUL character: this is not a text table; save it as UTF-8");
  }

  #checked(cell: string): string {
    if (cell.length <= this.#maxCell) return cell;
    throw new ColaError(
      "SIZE_LIMIT",
      `csv: line ${this.line} has a cell of ${cell.length} characters, more than ${this.#maxCell}; raise maxCell (--max-cell).`,
      { line: this.line, length: cell.length },
    );
  }
}

export function invalid(line: number, why: string): ColaError {
  return new ColaError("TABLE_INVALID", `csv: line ${line} ${why}.`, { line });
}

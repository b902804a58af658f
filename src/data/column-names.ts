import { ColaError } from "../errors.ts";

export const blank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/** The names up to the last that is one: spreadsheets and a delimiter at the end of lines leave empty columns behind. */
export function named(head: string[] | undefined): string[] | undefined {
  const last = head?.findLastIndex((name) => name.trim() !== "") ?? -1;
  return last > 0 ? head!.slice(0, last + 1) : head;
}

/** The row index that pandas writes without a name, called as pandas calls it when it reads it. */
export function withIndexName(names: string[] | undefined): string[] | undefined {
  const named = names && names.length > 1 && names[0] === "" && !names.includes("Unnamed: 0");
  return named ? ["Unnamed: 0", ...names.slice(1)] : names;
}

/** Names must be usable as names: not empty, not doubled. Equal columns under one name are the reader's business. */
export function checkNames(names: readonly string[], maxColumns = 1e4): void {
  if (names.length > maxColumns) {
    throw new ColaError(
      "SIZE_LIMIT",
      `table: ${names.length} columns, more than ${maxColumns}; raise maxColumns (--max-columns).`,
      { columns: names.length },
    );
  }
  const seen = new Set<string>();
  names.forEach((name, k) => {
    if (name.trim() === "" || seen.has(name)) {
      throw new ColaError(
        "TABLE_INVALID",
        `table: column ${k + 1} ${name.trim() === "" ? "has no name" : `is called ${JSON.stringify(name)} like an earlier one`}; give every column its own name${remedyFor(names, k)}.`,
        { column: k, name },
      );
    }
    seen.add(name);
  });
}

/** What else may be the matter where column k has no name of its own. */
function remedyFor(names: readonly string[], k: number): string {
  if (k === 0) return ", and save tables without a row index";
  if (/^[+-]?[\d.]+$/.test(names[k]!)) return ", or put a header above, if this line is a row";
  return names.slice(1).every((name) => name.trim() === "")
    ? `, or remove lines above the header (${JSON.stringify(names[0])} may be one)`
    : "";
}

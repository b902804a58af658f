import { isMissing, MISSING_TEXTS } from "../src/data/csv.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell } from "../src/types.ts";

/** What a table may measure, whatever its format. */
export interface TableLimits {
  /** Default 10 million. */
  readonly maxRows?: number;
  /** Default 10,000. */
  readonly maxColumns?: number;
  /** Longest text of a cell, in characters. Default 1 million. */
  readonly maxCell?: number;
  /** Texts that are missing, blanks around them apart; blank ones always are. Default: those of `readCsv`. */
  readonly missing?: readonly string[];
}

/** A value of a typed file as a cell: big integers only where a number holds them exactly, dates as text. */
export function plainCell(
  value: unknown,
  column: string,
  { maxCell = 1e6, missing = MISSING_TEXTS }: TableLimits = {},
): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (value.length <= maxCell) return isMissing(value, missing) ? null : value;
    throw new ColaError(
      "SIZE_LIMIT",
      `table: column ${JSON.stringify(column)} has a cell of ${value.length} characters, more than ${maxCell}; raise maxCell (--max-cell).`,
      { column, length: value.length, maxCell },
    );
  }
  if (typeof value === "bigint") {
    const number = Number(value);
    return BigInt(number) === value && Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Date) return value.toISOString();
  throw new ColaError(
    "TABLE_INVALID",
    `table: column ${JSON.stringify(column)} holds nested or binary values; keep only numbers, texts, dates and yes/no.`,
    { column },
  );
}

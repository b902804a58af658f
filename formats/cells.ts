import { ColaError } from "../src/errors.ts";
import type { Cell } from "../src/types.ts";

/** A value of a typed file as a cell: big integers only where a number holds them exactly, dates as text. */
export function plainCell(value: unknown, column: string): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "string" || typeof value === "boolean") return value;
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

import type { FastifyRequest } from "fastify";
import type { ServerLimits } from "../config.ts";
import { HttpError } from "../problem.ts";
import { Packed } from "./packed.ts";

/** Values a body may have beside its rows: what a schema looks at one by one, in the process that answers. */
const MOST_VALUES = 60_000;
const MOST_CHARACTERS = 100_000;

export type Sizes = Pick<ServerLimits, "rows" | "columns">;

/**
 * Looks at a body before its schema does: a plain loop over rows, which ends at the first fault, and a count of all
 * else. However wrong a large body is, it is refused in about the time it took to read.
 */
export function checkBody(limits: Sizes): (request: Pick<FastifyRequest, "body">) => Promise<void> {
  return async ({ body }) => {
    if (Buffer.isBuffer(body))
      throw new HttpError("MEDIA_TYPE", "Send the request as JSON, with Content-Type: application/json.");
    const { data, factuals, instances, counterfactuals } = fieldsOf(body);
    const lists = [
      ["/data/rows", fieldsOf(data)["rows"]],
      ["/factuals", factuals],
      // KServe's name of them.
      ["/instances", instances],
      ["/counterfactuals/rows", fieldsOf(counterfactuals)["rows"]],
    ] as const;
    for (const [path, rows] of lists) if (rows !== undefined) checkRows(path, rows, limits);
    countValues(body, new Set(lists.map(([, rows]) => rows)));
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function checkRows(path: string, rows: unknown, limits: Sizes): void {
  if (rows instanceof Packed) return; // looked at where it was packed
  if (!Array.isArray(rows) || rows.length === 0)
    throw new HttpError("REQUEST_INVALID", `${path}: must be a list of at least one row.`);
  if (rows.length > limits.rows)
    throw new HttpError("BODY_TOO_LARGE", `${path}: ${rows.length} rows, more than ${limits.rows}.`);
  for (let i = 0; i < rows.length; i++) checkRow(`${path}/${i}`, rows[i], limits);
}

function checkRow(path: string, row: unknown, limits: Sizes): void {
  if (typeof row !== "object" || row === null || Array.isArray(row))
    throw new HttpError("REQUEST_INVALID", `${path}: must be an object of cells by column.`);
  let columns = 0;
  for (const name in row) {
    if (++columns > limits.columns)
      throw new HttpError("BODY_TOO_LARGE", `${path}: more than ${limits.columns} columns.`);
    if (isCell((row as Record<string, unknown>)[name])) continue;
    throw new HttpError(
      "REQUEST_INVALID",
      `${path}/${name.slice(0, 100)}: must be text of at most ${MOST_CHARACTERS} characters, a finite number, true, false or null.`,
    );
  }
}

function isCell(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MOST_CHARACTERS;
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "boolean" || value === null;
}

function countValues(body: unknown, rows: ReadonlySet<unknown>): void {
  const open: unknown[] = [body];
  let seen = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null || value instanceof Packed || rows.has(value)) continue;
    for (const key in value) {
      if (++seen > MOST_VALUES)
        throw new HttpError(
          "BODY_TOO_LARGE",
          `The body has more than ${MOST_VALUES} values beside its rows; send tables as rows, as CSV or as an upload.`,
        );
      open.push((value as Record<string, unknown>)[key]);
    }
  }
}

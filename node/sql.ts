import { plainCell, type TableLimits } from "../formats/cells.ts";
import { checkNames } from "../src/data/column-names.ts";
import { withDateParts } from "../src/data/date-parts.ts";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import type { Table } from "../src/types.ts";
import { loadPeer } from "./peers.ts";

interface SqlOptions extends TableLimits {
  /** A DuckDB file (default: none, so a query reads files by name) or a `postgres://…` address. */
  readonly database?: string;
  /** Columns of dates or times that become their parts. */
  readonly dateParts?: readonly string[];
}

/** The rows of a query as a table: by DuckDB, or by PostgreSQL where the database is its address. */
export async function readSql(sql: string, options: SqlOptions = {}): Promise<Table> {
  const { database = ":memory:", maxRows = 1e7, maxColumns } = options;
  const postgres = /^postgres(ql)?:\/\//.test(database);
  try {
    const { names, rows } = postgres
      ? await queryPostgres(database, sql, maxRows)
      : await queryDuckdb(database, sql, maxRows);
    checkNames(names, maxColumns);
    if (rows.length > maxRows) {
      throw new ColaError(
        "SIZE_LIMIT",
        `sql: the query returns more than ${maxRows} rows; raise maxRows (--max-rows) or select fewer.`,
        { maxRows },
      );
    }
    if (rows.length === 0)
      throw new ColaError("TABLE_INVALID", "sql: the query returns no row; widen it, or look at its table.");
    const columns = names.map((name, k) => rows.map((row) => plainCell(row[k], name, options)));
    return withDateParts({ names, columns, rows: rows.length }, options.dateParts ?? []);
  } catch (error) {
    if (isColaError(error)) throw error;
    throw new ColaError(
      "TABLE_INVALID",
      `sql: the query failed; correct it, or name the database it is for (options.database): ${messageOf(error).trim()}`,
      {},
      error,
    );
  }
}

interface Answer {
  readonly names: string[];
  readonly rows: readonly unknown[][];
}

async function queryDuckdb(path: string, sql: string, maxRows: number): Promise<Answer> {
  const { DuckDBInstance } = await loadPeer("sql: a query", {
    name: "@duckdb/node-api",
    load: () => import("@duckdb/node-api"),
  });
  const access = path === ":memory:" ? {} : { access_mode: "READ_ONLY" };
  const instance = await opened(() => DuckDBInstance.create(path, access));
  const connection = await instance.connect();
  try {
    const reader = await connection.streamAndReadUntil(sql, maxRows + 1);
    return { names: reader.columnNames(), rows: reader.getRowsJS() };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** What cannot be opened is no fault of the query. */
async function opened<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const [why = ""] = messageOf(error).trim().split("\n");
    const remedy = /read a database file with version/.test(why)
      ? "another version of DuckDB wrote the file: install a version of @duckdb/node-api that reads it, or write the table to a Parquet file"
      : "see that it is there, and that its address and user are right (options.database)";
    throw new ColaError(
      "TABLE_INVALID",
      `sql: the database cannot be opened (${why.replace(/\.$/, "")}); ${remedy}.`,
      {},
      error,
    );
  }
}

/** Through a cursor, so that no more rows come over the wire than may be kept; it cannot write either. */
async function queryPostgres(address: string, sql: string, maxRows: number): Promise<Answer> {
  const { default: pg } = await loadPeer("sql: PostgreSQL", { name: "pg", load: () => import("pg") });
  const client = new pg.Client({ connectionString: address });
  await opened(() => client.connect());
  try {
    await client.query("BEGIN READ ONLY");
    await client.query(`DECLARE cola NO SCROLL CURSOR FOR ${sql}`);
    const answer = await client.query({ text: `FETCH FORWARD ${maxRows + 1} FROM cola`, rowMode: "array" });
    await client.query("ROLLBACK");
    return { names: answer.fields.map((field) => field.name), rows: answer.rows as unknown[][] };
  } finally {
    await client.end();
  }
}

import type { PoolClient } from "pg";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import { loadPeer, type Peer } from "../peers.ts";
import type { Database, Sql } from "./database.ts";

/** The package that speaks to a PostgreSQL server. */
export const postgresPeer: Peer<typeof import("pg")> = { name: "pg", load: () => import("pg") };

/** Is it the address of a PostgreSQL server? */
export function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

/** Connections of one process. */
const CONNECTIONS = 10;
const CONNECT_MS = 10_000;
/** A statement that is not answered by then never is, as when the network to the server fell silent without a word. */
const ANSWER_MS = 60_000;
/** Everything lies in a schema of its own; a process that stands still within a transaction holds others up so long. */
const SETTINGS =
  "-c search_path=cola -c idle_in_transaction_session_timeout=10s -c client_min_messages=warning";

/** A PostgreSQL server, through a few connections; one that was cut is replaced at the next statement. */
export async function openPostgres(
  address: string,
  connections = CONNECTIONS,
  answerMs = ANSWER_MS,
): Promise<Database> {
  const { default: pg } = await loadPeer("store: PostgreSQL", postgresPeer);
  // Numbers and sums of bytes are far below where numbers end.
  const parserOf = (type: number, format?: "text" | "binary"): unknown =>
    type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format as "text");
  const pool = new pg.Pool({
    connectionString: address,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs,
    keepAlive: true,
    application_name: "cola",
    options: SETTINGS,
    types: { getTypeParser: ((type, format) => parserOf(type, format)) as typeof pg.types.getTypeParser },
  });
  // A connection that ends while nobody uses it is replaced; who uses one hears of it from the statement. An end that
  // nobody listens to ends the process, and one may come with the last word of connecting, before anybody has the connection.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const using = async <T>(run: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw unreachable(error, address);
    });
    let broken = true;
    try {
      const value = await run(client);
      broken = false;
      return value;
    } catch (error) {
      broken = isBroken(error);
      throw told(error, address);
    } finally {
      client.release(broken);
    }
  };
  return {
    query: (statement, values) => using((client) => sqlOf(client).query(statement, values)),
    script: (statements) => using((client) => sqlOf(client).script(statements)),
    transaction: (run) => using((client) => inTransaction(client, run)),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(client: PoolClient, run: (sql: Sql) => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const value = await run(sqlOf(client));
    await client.query("commit");
    return value;
  } catch (error) {
    if (!isBroken(error)) await client.query("rollback");
    throw error;
  }
}

function sqlOf(client: PoolClient): Sql {
  return {
    query: async <T>(statement: string, values: readonly unknown[] = []) =>
      (await client.query(statement, [...values])).rows as T[],
    async script<T>(statements: string) {
      const answers = [await client.query(statements)].flat();
      return (answers.at(-1)?.rows ?? []) as T[];
    },
  };
}

/**
 * Codes of a server that stops, starts, has no connection or memory left, ended ours, cannot write for it follows another
 * now, gave a statement up or cannot reach its disk; and of the way to it. The same goes well later, on another connection.
 */
const BROKEN =
  /^(08...|25006|25P03|40001|40P01|53[234]00|55P03|57014|57P0.|58...|E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN).*)$/;

function isBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return (
    (typeof code === "string" && BROKEN.test(code)) ||
    /connection (terminated|timeout|error)|timeout exceeded|read timeout|not queryable/i.test(
      messageOf(error),
    )
  );
}

/** What is no fault of a statement is told as such. */
function told(error: unknown, address: string): unknown {
  if (isColaError(error)) return error;
  const { code } = error as { readonly code?: unknown };
  const wrong = typeof code === "string" && /^(28...|3D000|42501)$/.test(code);
  return wrong || isBroken(error) ? unreachable(error, address) : error;
}

/** Why a database cannot be used, be it a certificate, a password or the way; the address is named without its password. */
function unreachable(error: unknown, address: string): ColaError {
  const { code } = error as { readonly code?: unknown };
  const where = URL.canParse(address) ? `${new URL(address).host}${new URL(address).pathname}` : "PostgreSQL";
  return new ColaError(
    "STORE_UNREACHABLE",
    `store: the database ${where} cannot be used: ${messageOf(error).slice(0, 200) || String(code)}; see that it runs, that --database names it, and what its user may do.`,
    { where },
    error,
  );
}

/** One row of an answer. */
type Row = Readonly<Record<string, unknown>>;

/** Something that answers SQL: a database, or one transaction of it. */
export interface Sql {
  /** One statement with its values as $1, $2, …. */
  query<T = Row>(statement: string, values?: readonly unknown[]): Promise<readonly T[]>;
  /** Several statements without values; the rows of the last. */
  script<T = Row>(statements: string): Promise<readonly T[]>;
}

/** Everything above speaks PostgreSQL's SQL through this interface and does not know which database answers. */
export interface Database extends Sql {
  /** All or nothing; an error thrown inside rolls back. */
  transaction<T>(run: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How long what a process has taken (a job, a key, room) is its own without a word from it, and how often it speaks. */
export const LEASE_S = 10;
export const RENEW_MS = 2000;

/**
 * SQL for: whoever has this was silent for too long. An end further away than any that is given was written before the
 * clock of the database was set back.
 */
export const isOver = (until: string, seconds = LEASE_S): string =>
  `(${until} < now() or (isfinite(${until}) and ${until} > now() + make_interval(secs => ${2 * seconds})))`;

/** What must happen one after the other, on however many machines. */
type Turn = "schema" | "audit" | `owner ${string}`;

/** Waits for its turn and has it until the transaction ends. */
export async function takeTurn(sql: Sql, turn: Turn): Promise<void> {
  await sql.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`cola ${turn}`]);
}

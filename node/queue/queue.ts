import type { Sql } from "../store/database.ts";

/** Delivers the ids of jobs, each to one taker at a time; what a job is, the store knows. */
export interface Queue {
  /** Puts a job in the line, within the transaction that stores it. */
  send(sql: Sql, id: string): Promise<void>;
  /** The next job, or undefined when the line is empty. */
  take(): Promise<string | undefined>;
  /** Forgets a job that ended or was cancelled, within the transaction that says so. */
  drop(sql: Sql, id: string): Promise<void>;
  /** A job that was taken goes back into the line. */
  giveBack(ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

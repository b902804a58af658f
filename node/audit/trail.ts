import { randomBytes } from "node:crypto";
import { VERSION } from "../../src/version.ts";
import { sha256 } from "../store/blobs.ts";
import { type Sql, takeTurn } from "../store/database.ts";
import type { Store } from "../store/store.ts";

/** What is written down of one explanation: no cell, no name of a person. */
export interface AuditFacts {
  readonly explanation: string;
  readonly owner: string;
  /** Digests of the inputs by role; salted before they are written. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly model: string;
  /** As they were asked for; those that name people as salted digests of their JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly runHash: string;
  /** SHA-256 of the result's bytes. */
  readonly result: string;
  /** SHA-256 of the recipe as it is kept; absent in records of old. */
  readonly recipe?: string;
}

/** What is written down when explanations or jobs are removed: the numbers of their records, and who wanted it. */
export interface AuditRemoval {
  readonly removed: readonly number[];
  readonly jobs?: readonly string[];
  readonly by?: string;
}

/** What is written down of everything else: what was done, by whom, to what. */
interface AuditEvent {
  readonly event: "upload" | "delete" | "access" | "forget";
  readonly [fact: string]: unknown;
}

/** What makes a record a link: h_s = SHA-256(record_s), and record_s holds h_{s−1}. */
interface Chained {
  readonly seq: number;
  readonly at: string;
  readonly version: string;
  /** The version of Node and the kind of machine; absent in records of old. */
  readonly node?: string;
  readonly salt: string;
  readonly previous: string;
}

export type AuditRecord = Chained & (AuditFacts | AuditRemoval | AuditEvent);

export interface Link {
  readonly seq: number;
  readonly record: string;
  readonly hash: string;
  readonly signature: string | null;
}

/** The newest link as it is noted beside the trail. */
interface Head {
  readonly seq: number;
  readonly hash: string;
  readonly signature: string | null;
}

/** The hash before the first record. */
export const GENESIS = "0".repeat(64);

/** SHA-256 over salt and digest: whoever has the input can prove that it was this one; others learn nothing from it. */
export function salted(salt: string, digest: string): string {
  return sha256(`${salt}:${digest}`);
}

/** What is signed of a noted head. */
export function headText({ seq, hash }: Pick<Head, "seq" | "hash">): string {
  return `head ${seq} ${hash}`;
}

export async function headOf(sql: Sql): Promise<Head | undefined> {
  return (await sql.query<Head>("select seq, hash, signature from audit_head"))[0];
}

type Trail = Pick<Store, "signer">;

/** Appends a record within the transaction that stores what it is about. */
export async function appendAudit(
  trail: Trail,
  sql: Sql,
  facts: AuditFacts,
): Promise<{ readonly seq: number; readonly at: string }> {
  const salt = randomBytes(16).toString("hex");
  const inputs = Object.entries(facts.inputs).map(([role, digest]) => [role, salted(salt, digest)]);
  const options = Object.entries(facts.options).map(([name, value]) => [
    name,
    PERSONAL.has(name) ? salted(salt, sha256(JSON.stringify(value))) : value,
  ]);
  return append(
    trail,
    sql,
    {
      ...facts,
      inputs: Object.fromEntries(inputs) as AuditFacts["inputs"],
      options: Object.fromEntries(options) as AuditFacts["options"],
    },
    salt,
  );
}

/** Options that name people: what can never be taken out of the trail never gets into it. */
const PERSONAL: ReadonlySet<string> = new Set(["ids", "where"]);

/** Appends what was removed, or anything else that was done, within the transaction that does it. */
export async function appendEvent(trail: Trail, sql: Sql, facts: AuditRemoval | AuditEvent): Promise<void> {
  await append(trail, sql, facts, randomBytes(16).toString("hex"));
}

async function append(
  { signer }: Trail,
  sql: Sql,
  facts: AuditFacts | AuditRemoval | AuditEvent,
  salt: string,
): Promise<{ readonly seq: number; readonly at: string }> {
  await takeTurn(sql, "audit");
  const rows = await sql.query<Link>("select seq, hash from audit order by seq desc limit 1");
  const newest = { seq: Number(rows[0]?.seq ?? 0), hash: rows[0]?.hash ?? GENESIS };
  const full: AuditRecord = {
    ...facts,
    salt,
    seq: newest.seq + 1,
    at: new Date().toISOString(),
    version: VERSION,
    node: `${process.version} ${process.platform}-${process.arch}`,
    previous: newest.hash,
  };
  const record = JSON.stringify(full);
  const hash = sha256(record);
  const signed = (text: string): string | null => signer?.sign(text) ?? null;
  await sql.query("insert into audit (seq, record, hash, signature) values ($1, $2, $3, $4)", [
    full.seq,
    record,
    hash,
    signed(hash),
  ]);
  const head = { seq: full.seq, hash };
  await sql.query(
    `insert into audit_head (seq, hash, signature) values ($1, $2, $3)
     on conflict (one) do update set seq = excluded.seq, hash = excluded.hash, signature = excluded.signature`,
    [head.seq, head.hash, signed(headText(head))],
  );
  return { seq: full.seq, at: full.at };
}

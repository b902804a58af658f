import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ColaError, messageOf } from "../src/errors.ts";
import { VERSION } from "../src/version.ts";
import { sha256 } from "./store/blobs.ts";
import type { Sql } from "./store/database.ts";
import type { Store } from "./store/store.ts";

/** What is written down of one explanation: no cell, no name of a person. */
export interface AuditFacts {
  readonly explanation: string;
  readonly owner: string;
  /** Digests of the inputs by role; salted before they are written. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly model: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly runHash: string;
  /** SHA-256 of the result's bytes. */
  readonly result: string;
}

/** What is written down when explanations are removed because of their age: the numbers of their records. */
interface AuditRemoval {
  readonly removed: readonly number[];
}

/** What makes a record a link: h_s = SHA-256(record_s), and record_s holds h_{s−1}. */
interface Chained {
  readonly seq: number;
  readonly at: string;
  readonly version: string;
  readonly salt: string;
  readonly previous: string;
}

type AuditRecord = Chained & (AuditFacts | AuditRemoval);

interface Link {
  readonly seq: number;
  readonly record: string;
  readonly hash: string;
}

/** The hash before the first record. */
const GENESIS = "0".repeat(64);

/** SHA-256 over salt and digest: who has the input can prove it was this one, others learn nothing from it. */
export function salted(salt: string, digest: string): string {
  return sha256(`${salt}:${digest}`);
}

async function newest(sql: Sql): Promise<{ readonly seq: number; readonly hash: string }> {
  const rows = await sql.query<Link>("select seq, hash from audit order by seq desc limit 1");
  return { seq: Number(rows[0]?.seq ?? 0), hash: rows[0]?.hash ?? GENESIS };
}

/** Appends a record within the transaction that stores what it is about. Returns its number. */
export async function appendAudit(sql: Sql, facts: AuditFacts): Promise<number> {
  const salt = randomBytes(16).toString("hex");
  const inputs = Object.entries(facts.inputs).map(([role, digest]) => [role, salted(salt, digest)]);
  return append(sql, { ...facts, inputs: Object.fromEntries(inputs) as AuditFacts["inputs"] }, salt);
}

/** Appends that the explanations of these records were removed, within the transaction that removes them. */
export async function appendRemoval(sql: Sql, removed: readonly number[]): Promise<number> {
  return append(sql, { removed }, randomBytes(16).toString("hex"));
}

async function append(sql: Sql, facts: AuditFacts | AuditRemoval, salt: string): Promise<number> {
  const head = await newest(sql);
  const full: AuditRecord = {
    ...facts,
    salt,
    seq: head.seq + 1,
    at: new Date().toISOString(),
    version: VERSION,
    previous: head.hash,
  };
  const record = JSON.stringify(full);
  const values = [full.seq, record, sha256(record)];
  await sql.query("insert into audit (seq, record, hash) values ($1, $2, $3)", values);
  return full.seq;
}

const headPath = (folder: string): string => join(folder, "audit.head");

/** Notes the newest link in a file beside the database, so that records cut off the end are missed. */
export async function noteHead(store: Store): Promise<void> {
  const { seq, hash } = await newest(store.db);
  const draft = `${headPath(store.folder)}.part`;
  writeFileSync(draft, `${seq} ${hash}\n`, { mode: 0o600 });
  renameSync(draft, headPath(store.folder));
}

export interface AuditReport {
  readonly ok: boolean;
  readonly records: number;
  /** The newest hash: keep it elsewhere, and give it to a later `verify`. */
  readonly head: string;
  readonly problems: readonly string[];
}

/**
 * Walks the whole chain. A changed record has another hash, a removed or reordered one breaks the numbers and
 * the links; records cut off the end are missed by the noted head, by `expected`, or by the explanation they
 * were about. Stored results must have the bytes their record names, and only those a later record says were removed
 * may be missing.
 */
export async function verifyAudit(store: Store, expected?: string): Promise<AuditReport> {
  const problems: string[] = [];
  const results = new Map<number, AuditRecord>();
  const hashes = new Set<string>([GENESIS]);
  let previous = GENESIS;
  let seq = 0;
  for (const link of await store.db.query<Link>("select seq, record, hash from audit order by seq")) {
    const number = Number(link.seq);
    if (number !== seq + 1) problems.push(`record ${seq + 1} is missing: ${number} follows ${seq}.`);
    const record = parsed(link);
    if (sha256(link.record) !== link.hash)
      problems.push(`record ${number} was changed: its hash is another.`);
    else if (record?.previous !== previous || record.seq !== number)
      problems.push(
        `record ${number} does not follow the one before it: records were removed, changed or reordered.`,
      );
    if (record) results.set(number, record);
    hashes.add(link.hash);
    [previous, seq] = [link.hash, number];
  }
  const noted = existsSync(headPath(store.folder)) ? readFileSync(headPath(store.folder), "utf8").trim() : "";
  const anchors = [noted.split(" ")[1], expected].filter((hash) => hash !== undefined && hash !== "");
  for (const hash of anchors) {
    if (!hashes.has(hash!))
      problems.push(`the record with the hash ${hash} is missing: the end was cut off.`);
  }
  problems.push(...(await verifyResults(store, results)));
  return { ok: problems.length === 0, records: results.size, head: previous, problems };
}

function parsed(link: Link): AuditRecord | undefined {
  try {
    const record = JSON.parse(link.record) as AuditRecord | null;
    return typeof record === "object" && record !== null ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Every record has its explanation unless a later one removed it; the bytes are those the record names. */
async function verifyResults(store: Store, records: ReadonlyMap<number, AuditRecord>): Promise<string[]> {
  const problems: string[] = [];
  const told = new Map<number, AuditFacts>();
  for (const [seq, record] of records) {
    if (!("removed" in record)) told.set(seq, record);
    else if (Array.isArray(record.removed)) for (const gone of record.removed) told.delete(gone);
  }
  const rows = await store.db.query<{ id: string; result: string; audit_seq: number }>(
    "select id, result, audit_seq from explanations order by audit_seq",
  );
  for (const { id, result, audit_seq } of rows) {
    const record = told.get(Number(audit_seq));
    if (record?.explanation !== id) problems.push(`explanation ${id} has no record in the trail.`);
    else if (record.result !== result.slice(0, 64))
      problems.push(`explanation ${id} names other bytes than its record.`);
    try {
      store.blobs.get(result);
    } catch (error) {
      if (!(error instanceof ColaError)) throw error;
      problems.push(`explanation ${id}: ${messageOf(error)}`);
    }
  }
  if (told.size !== rows.length)
    problems.push(`there should be ${told.size} explanations, but there are ${rows.length}.`);
  return problems;
}

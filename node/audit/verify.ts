import { ColaError, messageOf } from "../../src/errors.ts";
import { sha256 } from "../store/blobs.ts";
import type { Sql } from "../store/database.ts";
import { findExplanation, type StoredExplanation } from "../store/explanations.ts";
import type { Store } from "../store/store.ts";
import { type Verifier, verifierOf } from "./sign.ts";
import { type AuditFacts, type AuditRecord, GENESIS, headOf, headText, type Link } from "./trail.ts";
import { keptUploads, strangeUploads } from "./uploads.ts";

export interface AuditReport {
  readonly ok: boolean;
  readonly records: number;
  /** Records that are signed by the key that was given, or by the server's own. */
  readonly signed: number;
  /** The newest hash: keep it elsewhere, and give it to a later `verify`. */
  readonly head: string;
  readonly problems: readonly string[];
}

/** What a verification is held against. */
export interface Expected {
  /** The hash of an earlier verification, which must still be there. */
  readonly head?: string;
  /** PEM of the public key: then every record since the first signed one must be signed by it. */
  readonly publicKey?: string;
}

/** One page of the trail. */
const PAGE = 1000;

/**
 * Walks the whole chain. A changed record has another hash, a removed or reordered one breaks the numbers and the
 * links; records cut off the end are missed by the noted head, by `expected`, or by the explanation they were about.
 * Who writes the rest of the chain anew lacks the key. Explanations must have the owner, time, recipe and bytes their
 * record names, and only those a later record says were removed may be missing; so must the job of each, where it had one,
 * and uploads.
 */
export async function verifyAudit(store: Store, expected: Expected = {}): Promise<AuditReport> {
  const pem = expected.publicKey ?? store.signer?.publicKey;
  const signedBy = pem === undefined ? undefined : verifierOf(pem);
  const { walk, rows, jobs, uploads } = await store.db.transaction(async (sql) => {
    // One moment of the store, while others go on writing.
    await sql.query("set transaction isolation level repeatable read");
    const walk = await walkTrail(sql, expected.head, signedBy);
    const rows: StoredExplanation[] = [];
    for await (const row of explanations(sql)) rows.push(row);
    return { walk, rows, jobs: await strangeJobs(sql), uploads: await keptUploads(sql) };
  });
  const { problems, records, head, signed } = walk;
  const about = await verifyResults(store, records, rows);
  const all = [...problems, ...about, ...jobs, ...strangeUploads(records, uploads)];
  return { ok: all.length === 0, records: records.size, signed, head, problems: all };
}

interface Walk {
  readonly problems: string[];
  readonly records: ReadonlyMap<number, AuditRecord>;
  readonly head: string;
  readonly signed: number;
}

async function walkTrail(sql: Sql, anchor: string | undefined, signedBy?: Verifier): Promise<Walk> {
  const problems: string[] = [];
  const records = new Map<number, AuditRecord>();
  let [previous, seq, signed, anchored] = [GENESIS, 0, 0, anchor === undefined || anchor === GENESIS];
  for await (const link of links(sql)) {
    if (link.seq !== seq + 1) problems.push(`record ${seq + 1} is missing: ${link.seq} follows ${seq}.`);
    const record = parsed(link);
    if (sha256(link.record) !== link.hash)
      problems.push(`record ${link.seq} was changed: its hash is another.`);
    else if (record?.previous !== previous || record.seq !== link.seq)
      problems.push(
        `record ${link.seq} does not follow the one before it: records were removed, changed or reordered.`,
      );
    if (link.signature !== null) signed++;
    if (signedBy && (signed > 0 || link.signature !== null) && !isSigned(signedBy, link.hash, link.signature))
      problems.push(
        `record ${link.seq} is not signed by the key: it was changed or written by somebody else.`,
      );
    if (record) records.set(link.seq, record);
    anchored ||= link.hash === anchor;
    [previous, seq] = [link.hash, link.seq];
  }
  const head = await headOf(sql);
  if (!head) problems.push("the note of the newest record is missing.");
  else if (head.seq !== seq || head.hash !== previous)
    problems.push(
      `the newest record is not the noted one, ${head.seq}: the end was cut off or written anew.`,
    );
  else if (signedBy && signed > 0 && !isSigned(signedBy, headText(head), head.signature))
    problems.push("the note of the newest record is not signed by the key.");
  if (!anchored)
    problems.push(`the record with the hash ${anchor} is missing: the end was cut off or written anew.`);
  if (signedBy && signed === 0 && seq > 0) problems.push("no record is signed, but a key was given.");
  return { problems, records, head: previous, signed };
}

function isSigned(signedBy: Verifier, text: string, signature: string | null): boolean {
  return signature !== null && signedBy(text, signature);
}

/** From whatever number on there are any: where the trail does not begin at 1, that is for the walk to see. */
async function* links(sql: Sql): AsyncGenerator<Link> {
  for (let last: string | null = null; ; ) {
    const page: readonly (Link & { readonly at: string })[] = await sql.query(
      `select seq::text as at, record, hash, signature from audit
       where $1::bigint is null or seq > $1::bigint order by seq limit ${PAGE}`,
      [last],
    );
    for (const { at, ...link } of page) yield { ...link, seq: Number(at) };
    if (page.length < PAGE) return;
    last = page.at(-1)!.at;
  }
}

async function* explanations(sql: Sql): AsyncGenerator<StoredExplanation> {
  for (let last: string | null = null; ; ) {
    const page: readonly StoredExplanation[] = await sql.query(
      `select * from explanations where $1::uuid is null or id > $1::uuid order by id limit ${PAGE}`,
      [last],
    );
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1)!.id;
  }
}

/** A job that ended has the owner and the recipe of its explanation, which its record covers. */
async function strangeJobs(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from jobs join explanations using (id)
     where jobs.owner <> explanations.owner or jobs.recipe <> explanations.recipe or jobs.state <> 'done' order by id`,
  );
  return rows.map(({ id }) => `job ${id} has another owner, recipe or state than its explanation.`);
}

function parsed(link: Link): AuditRecord | undefined {
  try {
    const record = JSON.parse(link.record) as AuditRecord | null;
    return typeof record === "object" && record !== null ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Every record has its explanation unless a later one removed it; what is kept of it is what the record says. */
async function verifyResults(
  { db, blobs }: Store,
  records: ReadonlyMap<number, AuditRecord>,
  rows: readonly StoredExplanation[],
): Promise<string[]> {
  const problems: string[] = [];
  const facts = new Map<number, AuditFacts & { readonly at: string }>();
  for (const [seq, record] of records) {
    if ("explanation" in record) facts.set(seq, record as AuditFacts & { readonly at: string });
    else if ("removed" in record && Array.isArray(record.removed))
      for (const gone of record.removed) facts.delete(gone as number);
  }
  for (const row of rows) {
    const record = facts.get(Number(row.audit_seq));
    if (record?.explanation !== row.id) problems.push(`explanation ${row.id} has no record in the trail.`);
    else problems.push(...differences(row, record).map((what) => `explanation ${row.id} ${what}.`));
    try {
      await blobs.check(row.result);
    } catch (error) {
      if (!(error instanceof ColaError)) throw error;
      // Erased since that moment, while servers run: whether a record says so is seen the next time.
      if (!(await findExplanation(db, row.id))) continue;
      problems.push(`explanation ${row.id}: ${messageOf(error)}`);
    }
  }
  if (facts.size !== rows.length)
    problems.push(`there should be ${facts.size} explanations, but there are ${rows.length}.`);
  return problems;
}

function differences(row: StoredExplanation, record: AuditFacts & { readonly at: string }): string[] {
  return [
    ...(record.result === row.result.slice(0, 64) ? [] : ["names other bytes than its record"]),
    ...(record.owner === row.owner ? [] : ["belongs to another owner than its record says"]),
    ...(record.runHash === row.run_hash ? [] : ["has another run hash than its record"]),
    ...(record.recipe === undefined || record.recipe === sha256(row.recipe)
      ? []
      : ["has another recipe than its record"]),
    ...(record.recipe === undefined || record.at === row.created_at.toISOString()
      ? []
      : ["was made at another time than its record says"]),
  ];
}

import type { AuditReport } from "../../../node/audit.ts";
import type { sweep } from "../../../node/retention.ts";
import { sha256 } from "../../../node/store/blobs.ts";
import type { endJob } from "../../../node/store/jobs.ts";
import type { Store } from "../../../node/store/store.ts";

/** Lets any attempt end a job, also one that has lost it. */
export const endJobOfAnybody: typeof endJob = async (sql, { id }, state, error = null) => {
  const ended = "update jobs set state = $2, error = $3, finished_at = now() where id = $1 returning id";
  return (await sql.query(ended, [id, state, error])).length === 1;
};

/** Looks at each record alone, not at what links them. */
export async function verifyEachAlone(store: Store): Promise<AuditReport> {
  const links = await store.db.query<{ record: string; hash: string }>("select record, hash from audit");
  const problems = links.filter(({ record, hash }) => sha256(record) !== hash).map(({ hash }) => hash);
  return { ok: problems.length === 0, records: links.length, head: "", problems };
}

/** Removes old explanations without a word in the trail. */
export const sweepSilently: typeof sweep = async (store, days) => {
  const before = new Date(Date.now() - days * 86_400_000);
  const old = await store.db.query("delete from explanations where created_at < $1 returning id", [before]);
  return { explanations: old.length, jobs: 0, uploads: 0, files: 0 };
};

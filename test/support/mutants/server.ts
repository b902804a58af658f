import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditReport } from "../../../node/audit/verify.ts";
import { sweep } from "../../../node/retention.ts";
import { sha256 } from "../../../node/store/blobs.ts";
import type { endJob } from "../../../node/store/jobs.ts";
import type { lockFolder } from "../../../node/store/lock.ts";
import { type putResource, type Resource, resourceId, usedBytes } from "../../../node/store/resources.ts";
import type { Store } from "../../../node/store/store.ts";
import type { checkOrigin } from "../../../server/auth.ts";
import type { createGate } from "../../../server/gate.ts";
import { HttpError } from "../../../server/problem.ts";
import type { createQuota } from "../../../server/quota.ts";
import type { checkBody } from "../../../server/schemas/body.ts";

/** Lets any attempt end a job, also one that has lost it. */
export const endJobOfAnybody: typeof endJob = async (sql, { id }, state, error = null) => {
  const ended = "update jobs set state = $2, error = $3, finished_at = now() where id = $1 returning id";
  return (await sql.query(ended, [id, state, error])).length === 1;
};

/** Looks at each record alone, not at what links them. */
export async function verifyEachAlone(store: Store): Promise<AuditReport> {
  const links = await store.db.query<{ record: string; hash: string }>("select record, hash from audit");
  const problems = links.filter(({ record, hash }) => sha256(record) !== hash).map(({ hash }) => hash);
  return { ok: problems.length === 0, records: links.length, signed: 0, head: "", problems };
}

/** Removes old explanations without a word in the trail. */
export const sweepSilently: typeof sweep = async (store, days) => {
  const before = new Date(Date.now() - days * 86_400_000);
  const old = await store.db.query("delete from explanations where created_at < $1 returning id", [before]);
  return { explanations: old.length, jobs: 0, uploads: 0, files: 0 };
};

/** Goes on by a day with each look. */
export const sweepByLooks: typeof sweep = async (store, days, now = new Date()) => {
  await store.db.query("update forgetting set clock = least($1, clock + interval '1 day')", [now]);
  return sweep(store, days, now);
};

/** Takes a process whose number is unknown here for dead, and gives back whatever lock is there. */
export const lockByNumber: typeof lockFolder = async (folder) => {
  const path = join(folder, "lock");
  try {
    process.kill(Number(readFileSync(path, "utf8").split(" ")[0]), 0);
  } catch {
    writeFileSync(path, `${process.pid} ? here mine`);
    return { check() {}, release: () => rmSync(path, { force: true }) };
  }
  throw new Error("in use");
};

/** Looks at every cell before it says that one is wrong. */
export const checkWholeBody: typeof checkBody = () => async (request) => {
  const { factuals = [] } = request.body as { factuals?: readonly Readonly<Record<string, unknown>>[] };
  const faults = factuals.flatMap((row, i) =>
    Object.entries(row).flatMap(([name, cell]) =>
      typeof cell === "object" ? [`/factuals/${i}/${name}`] : [],
    ),
  );
  if (faults.length > 0) throw new HttpError("REQUEST_INVALID", faults.join("; "));
};

/** Counts what is stored, not what is on its way. */
export const quotaOfTheStored: typeof createQuota = (sql, most) => {
  const exceeded = async (owner: string, bytes: number): Promise<boolean> =>
    (await usedBytes(sql, owner)) + bytes > most;
  return {
    exceeded,
    async within(owner, bytes, store) {
      if (await exceeded(owner, bytes)) throw new HttpError("QUOTA", "too much");
      return store();
    },
  };
};

/** Looks at the origin alone, not at what the browser says of the page. */
export const checkOriginAlone: typeof checkOrigin = ({ headers: { origin }, host }) => {
  if (origin !== undefined && !origin.endsWith(`//${host}`)) throw new HttpError("ORIGIN_REFUSED", "no");
};

/** Keeps how the bytes were read when they came first. */
export const putOnce: typeof putResource = async (sql, { owner, kind, name, ref, bytes, about }) => {
  const statement = `insert into resources (owner, id, kind, name, ref, bytes, about) values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (owner, id) do update set name = excluded.name returning *`;
  const values = [owner, resourceId(kind, ref), kind, name, ref, bytes, about];
  return (await sql.query<Resource>(statement, values))[0]!;
};

/** Lets in who came first, whoever that is. */
export const gateOfTheFirst: typeof createGate = (most, line) => {
  const queue: (() => void)[] = [];
  let running = 0;
  return {
    running: 0,
    waiting: 0,
    close() {},
    async enter(_owner, run) {
      if (running < most) running++;
      else if (queue.length < line) await new Promise<void>((resolve) => queue.push(resolve));
      else throw new HttpError("BUSY", "no");
      try {
        return await run();
      } finally {
        const next = queue.shift();
        if (next) next();
        else running--;
      }
    },
  };
};

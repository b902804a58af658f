import type PgBoss from "pg-boss";
import { loadPeer, type Peer } from "../peers.ts";
import type { Database, Sql } from "../store/database.ts";
import type { Queue } from "./queue.ts";

const LINE = "explanations";
/** How often a job is given out is decided by its row in the store, not here. */
const MANY = 1_000_000;
const HOURS_23 = 23 * 3600;

/**
 * The line of jobs in pg-boss, on whatever database the store uses. Finished jobs are deleted from it (the
 * store's table is the history), so its own supervision is off.
 */
export async function openQueue(db: Database): Promise<Queue> {
  const boss = await start(db);
  return {
    async send(sql, id) {
      await boss.send(LINE, { id }, { id, db: wrapped(sql) });
    },
    take: async () => (await boss.fetch<{ id: string }>(LINE))[0]?.data.id,
    async drop(sql, id) {
      await boss.deleteJob(LINE, id, { db: wrapped(sql) });
    },
    async giveBack(ids) {
      if (ids.length > 0) await boss.fail(LINE, [...ids]);
    },
    stop: () => boss.stop({ graceful: false, close: false, wait: false }),
  };
}

/** The package of the line; later versions refuse Node 20. */
export const queuePeer: Peer<{ readonly default: typeof PgBoss }> = {
  name: "pg-boss",
  install: "pg-boss@10",
  load: () => import("pg-boss"),
};

async function start(db: Database): Promise<PgBoss> {
  const { default: Boss } = await loadPeer("queue: the line of jobs", queuePeer);
  const boss = new Boss({ db: wrapped(db), supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue(LINE, {
    name: LINE,
    retryLimit: MANY,
    retryDelay: 0,
    expireInSeconds: HOURS_23,
    retentionDays: 365,
  });
  return boss;
}

function wrapped(sql: Sql): PgBoss.Db {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: [...(values.length > 0 ? await sql.query(text, values) : await sql.script(text))],
    }),
  };
}

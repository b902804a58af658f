import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { openStore, type Store } from "../../node/store/store.ts";
import { replay } from "../../server/run/replay.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { figures } from "../support/figures.ts";
import { type Member, replace, startMember, stopMember } from "../support/fleet.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

const SOAK = process.env["COLA_SOAK"] === "1";
const {
  jobs: JOBS,
  kills: KILLS,
  restarts: RESTARTS,
  cuts: CUTS,
} = SOAK ? { jobs: 1000, kills: 60, restarts: 5, cuts: 10 } : { jobs: 100, kills: 6, restarts: 1, cuts: 2 };
/** What gives a process a network of its own, and whether that can be had here. */
const ALONE = ["unshare", "--net"];
const NETWORKS = spawnSync(ALONE[0]!, [...ALONE.slice(1), "true"]).status === 0;

let pg: Postgres;
let database = "";
const fleet: Member[] = [];
beforeAll(async () => {
  pg = await startPostgres();
  database = await pg.database("chaos");
});
afterAll(async () => {
  for (const { child } of fleet) child.kill("SIGKILL");
  await pg.stop();
});

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Sends until it is accepted, to whichever server answers; the id of the job. */
async function accepted(servers: readonly Member[], k: number, random: Random): Promise<string> {
  // Every tenth is cut into shards.
  const rows = k % 10 === 0 ? 40 : 1 + (k % 5);
  const body = JSON.stringify({ options: { rows, seed: k % 4 } });
  const headers = { "content-type": "application/json", "idempotency-key": `job ${k}`.replace(" ", "-") };
  for (;;) {
    const { url } = servers[random.int(servers.length)]!;
    const answer = await fetch(`${url}/v1/jobs`, { method: "POST", headers, body }).catch(() => undefined);
    if (answer?.status === 202) return ((await answer.json()) as { id: string }).id;
    if (answer) expect([409, 429, 503]).toContain(answer.status);
    // Who is told to ask less often does.
    await sleep(answer?.status === 429 ? 1000 : 100);
  }
}

/** Stops the process of a worker while it has jobs, and tells which. */
async function stopAtWork({ db }: Store, { child }: Member): Promise<readonly string[]> {
  for (;;) {
    process.kill(child.pid!, "SIGSTOP");
    // What it had sent by then is done.
    await sleep(1000);
    const held = await db.query<{ id: string }>(
      "select id from jobs where state = 'running' and parent is null and worker like $1",
      [`%:${child.pid}:%`],
    );
    if (held.length > 0) return held.map(({ id }) => id);
    process.kill(child.pid!, "SIGCONT");
    await sleep(10);
  }
}

/** A standstill at work, and meanwhile kills of the others, restarts of the database and cut connections; what it had. */
async function harm(random: Random, store: Store): Promise<readonly string[]> {
  const paused = fleet.at(-1)!;
  const held = await stopAtWork(store, paused);
  // It comes back when others have what it had, however long they need for it.
  const waits = "select from jobs where id = any($1::uuid[]) and state = 'running' and attempt = 1";
  const woken = (async () => {
    while ((await store.db.query(waits, [held]).catch(() => held)).length > 0) await sleep(200);
    process.kill(paused.child.pid!, "SIGCONT");
  })();
  const deeds = [
    ...Array.from({ length: KILLS }, () => () => replace(fleet[random.int(fleet.length - 1)]!)),
    ...Array.from({ length: RESTARTS }, () => () => pg.restart()),
    ...Array.from({ length: CUTS }, () => async () => void (await pg.cut(3))),
  ];
  while (deeds.length > 0) {
    await sleep(100 + random.int(600));
    await deeds.splice(random.int(deeds.length), 1)[0]!();
  }
  await woken;
  return held;
}

async function counted(store: Store): Promise<Record<string, number>> {
  const rows = await store.db.query<{ state: string; count: number }>(
    "select state, count(*)::integer as count from jobs group by state",
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

test(
  `${JOBS} jobs on 3 servers and 4 workers through ${KILLS} kills and ${RESTARTS} restarts of PostgreSQL: none is lost, failed or done twice`,
  async () => {
    const random = stream(process.pid, "chaos");
    const env = { ...process.env, DATABASE_URL: database, COLA_LIMIT_SHARD_ROWS: "15" };
    // Where it can be had, each worker is in a network of its own, from which nothing but the database can be reached.
    const alone = { ...env, DATABASE_URL: pg.socketOf("chaos") };
    const start = (k: number): Promise<Member> =>
      k < 3
        ? startMember(["serve", "--port", "0", "--workers", "0"], env)
        : NETWORKS
          ? startMember(["worker", "--workers", "1"], alone, ALONE)
          : startMember(["worker", "--workers", "1"], env);
    // All seven at once, on a database that has nothing yet.
    fleet.push(...(await Promise.all(Array.from({ length: 7 }, (_, k) => start(k)))));
    const servers = fleet.slice(0, 3);
    const began = performance.now();
    const ids: string[] = [];
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < JOBS) {
        const k = next++;
        ids[k] = await accepted(servers, k, random);
      }
    };
    const store = await openStore({ database });
    try {
      const [held] = await Promise.all([harm(random, store), client(), client(), client()]);
      const wanted = { done: JOBS };
      await expect
        .poll(() => counted(store).catch(() => ({})), { timeout: 600_000, interval: 200 })
        .toEqual(wanted);
      const seconds = Math.round((performance.now() - began) / 1000);
      expect(new Set(ids).size).toBe(JOBS);
      const once = await store.db.query("select from jobs where attempt < 2 and id = any($1::uuid[])", [
        ids.filter((_, k) => k % 10 === 0),
      ]);
      expect(once, "jobs of many rows were cut").toEqual([]);
      const takenOver = await store.db.query("select from jobs where attempt > 1 and id = any($1::uuid[])", [
        held,
      ]);
      expect(takenOver, "what the worker that stood still had was taken over").toHaveLength(held.length);
      const [{ kept }] = (await store.db.query("select count(*)::integer as kept from explanations")) as [
        { kept: number },
      ];
      expect(kept).toBe(JOBS);
      expect((await verifyAudit(store)).problems).toEqual([]);
      const results = await store.db.query<{ recipe: string; made: number }>(
        "select recipe, count(distinct result)::integer as made from explanations group by recipe",
      );
      expect(results.filter(({ made }) => made !== 1)).toEqual([]);
      expect(await replay(store, ids[random.int(JOBS)]!)).toMatchObject({ same: true });
      const [attempts] = await store.db.query<{ most: number; again: number }>(
        "select max(attempt) as most, count(*) filter (where attempt > 1)::integer as again from jobs",
      );
      const harmed = { kills: KILLS, restarts: RESTARTS, cuts: CUTS, networks: NETWORKS };
      figures("chaos", { jobs: JOBS, ...harmed, seconds, ...attempts });
    } finally {
      await store.close();
    }
    expect(await Promise.all(fleet.map(stopMember))).toEqual(fleet.map(() => 0));
  },
  SOAK ? 7_200_000 : 900_000,
);

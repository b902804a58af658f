import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { dropFiles } from "../../node/erase.ts";
import { type Ref, refsIn } from "../../node/store/blobs.ts";
import { LEASE_S, RENEW_MS } from "../../node/store/database.ts";
import {
  crashJob,
  dropShards,
  endJob,
  giveBackJob,
  type Job,
  renewJob,
  requeueJob,
  takeJob,
} from "../../node/store/jobs.ts";
import { cutJob, endShard, failWhole, partsOf, shardResults, wholeOf } from "../../node/store/shards.ts";
import type { Store } from "../../node/store/store.ts";
import { ColaError, isColaError } from "../../src/errors.ts";
import type { Progress } from "../../src/types.ts";
import type { ServerLimits } from "../config.ts";
import { HttpError, isDiskFull, isNoRoom, type Problem, problemOf } from "../problem.ts";
import { keep } from "../run/keep.ts";
import { nameFiles } from "../run/named.ts";
import type { Plan } from "../run/plan.ts";
import type { Recipe } from "../run/recipe.ts";
import type { Space } from "../space.ts";
import { isDeath } from "../work/worker.ts";
import type { Workers } from "../work/workers.ts";
import type { JobEvents } from "./events.ts";

/** Takes jobs from the line and works them off. */
export interface Runner {
  /** Something may be in the line. */
  poke(): void;
  /** Stops the work of a job that was cancelled in the store. */
  abort(id: string): void;
  /** Waits for running jobs, then gives them back to the line. */
  stop(): Promise<void>;
  readonly running: number;
}

export interface RunnerParts {
  readonly store: Store;
  readonly workers: Workers;
  readonly events: JobEvents;
  /** No job is begun while there is little. */
  readonly space: Space;
  readonly limits: Pick<ServerLimits, "jobs" | "attempts" | "graceMs">;
  /** Told of what should never happen: the store failing. */
  readonly report: (error: unknown) => void;
  /** Told of every ended job. */
  readonly ended?: (state: "done" | "failed" | "cancelled" | "queued") => void;
}

/** A job this process works on. */
interface Active {
  readonly job: Job;
  readonly controller: AbortController;
  done: Promise<void>;
  progress: Progress | undefined;
  /** When the store last heard that it is ours, by a clock that does not jump. */
  renewed: number;
}

/** Why work is stopped that another start will finish, and work that is not ours any more. */
const STOPPING = new ColaError("ABORTED", "the server is stopping");
const LOST = new ColaError("ABORTED", "the job was cancelled, or another worker has taken it over");

/** How often the queue is looked at unasked. */
const POLL_MS = 1000;
/** How long a job that met a full disk is held before it is tried again. */
const FULL_MS = 1000;
/** How long a stopping server waits for a database that may never answer. */
const SILENT_MS = 2000;

/** Looks at the queue when told to, and now and then; renews the leases of its jobs, and stops those it has lost. */
export function startRunner(parts: RunnerParts): Runner {
  const { store, space, limits } = parts;
  const name = `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;
  const active = new Map<string, Active>();
  /** Jobs that this process has lost, or whose end it could not record: they are given back first. */
  const lost: Job[] = [];
  let stopping = false;
  let pumping: Promise<void> | undefined;
  let again = false;
  const begin = (job: Job): void => {
    const mine: Active = {
      ...{ job, controller: new AbortController(), progress: undefined, renewed: performance.now() },
      done: Promise.resolve(),
    };
    active.set(job.id, mine);
    mine.done = work(parts, mine)
      .catch((error) => {
        parts.report(error);
        return false;
      })
      .then((settled) => {
        if (!settled) lost.push(job);
        active.delete(job.id);
        poke();
      });
  };
  const pump = async (): Promise<void> => {
    for (let job = lost[0]; job; job = lost[0]) {
      await giveBackJob(store.db, job);
      lost.shift();
    }
    while (!stopping && active.size < limits.jobs && !space.low()) {
      const job = await takeJob(store.db, name);
      if (!job) return;
      if (stopping) lost.push(job);
      else begin(job);
    }
  };
  const poke = (): void => {
    if (stopping) return;
    again = true;
    pumping ??= (async () => {
      while (again && !stopping) {
        again = false;
        await pump().catch(parts.report);
      }
    })().finally(() => {
      pumping = undefined;
    });
  };
  const timers = [
    setInterval(poke, POLL_MS).unref(),
    setInterval(() => {
      for (const mine of active.values()) void renew(store, mine);
    }, RENEW_MS).unref(),
  ];
  poke();
  return {
    poke,
    get running() {
      return active.size;
    },
    abort: (id) => active.get(id)?.controller.abort(LOST),
    async stop() {
      stopping = true;
      clearInterval(timers[0]);
      await answered(pumping);
      const all = Promise.all([...active.values()].map(({ done }) => done));
      const patience = setTimeout(() => {
        for (const { controller } of active.values()) controller.abort(STOPPING);
      }, limits.graceMs);
      await all;
      clearTimeout(patience);
      clearInterval(timers[1]);
      await answered(Promise.allSettled(lost.map((job) => giveBackJob(store.db, job))));
    },
  };
}

/** Waits for a question to the database, for as long as an answer can still be expected. */
const answered = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.race([work, sleep(SILENT_MS, undefined, { ref: false })]);

/** Says that a job is still being worked on. Not heard for the time of a lease, it is taken for lost. */
async function renew({ db }: Store, mine: Active): Promise<void> {
  const { job, controller, progress } = mine;
  const at = performance.now();
  // Looked at before asking: a database that fell silent may never answer.
  if (at - mine.renewed > LEASE_S * 1000) controller.abort(LOST);
  const kept = await renewJob(db, job, progress ? JSON.stringify(progress) : null).catch(() => undefined);
  if (kept) mine.renewed = at;
  if (kept === false) controller.abort(LOST);
}

/**
 * One attempt from begin to end; whatever goes wrong ends up in the job's row, unless the job is another's by then, or the
 * store does not answer: then false.
 */
async function work(parts: RunnerParts, mine: Active): Promise<boolean> {
  const { store, events, limits } = parts;
  const { job } = mine;
  events.changed(job.id);
  if (job.crashes >= limits.attempts) {
    const detail = `The process that worked on this job died ${job.crashes} times while it worked on nothing else; it was given up. It may need more memory than there is: give fewer rows or columns.`;
    await fail(parts, job, problemOf(new ColaError("INTERNAL", detail), store.folder));
    return true;
  }
  try {
    await (job.parent === null ? workJob : workShard)(parts, mine);
    return true;
  } catch (error) {
    return await afterError(parts, mine, error);
  }
}

/** A job: computed whole, cut where it has many rows, or, once all its shards are done, put together. */
async function workJob({ store, workers, events, ended }: RunnerParts, mine: Active): Promise<void> {
  const { job, controller } = mine;
  const { id, owner, plan } = job;
  const recipe = JSON.parse(job.recipe) as Recipe;
  const onProgress = (progress: Progress): void => {
    mine.progress = progress;
    events.progress(id, progress);
  };
  const watch = { signal: controller.signal, onProgress };
  const shards = plan === null ? [] : await shardResults(store.db, id);
  const made =
    plan === null
      ? await workers.begin(recipe, watch)
      : await workers.merge({ recipe, plan: JSON.parse(plan) as Plan, shards }, watch);
  if ("plan" in made) {
    const { rows, size } = made.plan;
    const text = JSON.stringify(made.plan);
    const cut = await store.db.transaction(async (sql) => {
      await nameFiles(sql, store.blobs, refsIn(text));
      return cutJob(sql, job, text, Math.ceil(rows / size));
    });
    if (!cut) await removeFiles(store, refsIn(text));
  } else {
    let parts: readonly Ref[] = [];
    const kept = await keep(store, { id, owner, recipe, computed: made }, async (sql) => {
      parts = await partsOf(sql, id);
      return endJob(sql, job, "done");
    });
    ended?.(kept ? "done" : "cancelled");
    await removeFiles(store, kept ? parts : [made.result]);
  }
  events.changed(id);
}

/** Removes files of a job that are no longer needed; one that cannot be removed now goes later, with everything unreferenced. */
async function removeFiles(store: Store, refs: readonly Ref[]): Promise<void> {
  await dropFiles(store, refs).catch(() => {});
}

/** A shard; one whose job has ended meanwhile is nobody's. */
async function workShard({ store, workers, events }: RunnerParts, mine: Active): Promise<void> {
  const { job, controller } = mine;
  const whole = await wholeOf(store.db, job);
  if (!whole?.plan) return dropShards(store.db, job.parent!);
  const recipe = JSON.parse(whole.recipe) as Recipe;
  const plan = JSON.parse(whole.plan) as Plan;
  const onProgress = (progress: Progress): void => {
    mine.progress = progress;
  };
  const spentMs = job.started_at!.getTime() - job.created_at.getTime();
  const result = await workers.shard(
    { job: whole.id, number: job.number!, recipe, plan },
    Math.max(1, Math.floor(recipe.options.timeout * 1000 - spentMs)),
    { signal: controller.signal, onProgress },
  );
  const told = (done: number): string =>
    JSON.stringify({ stage: "explain", done: Math.min(plan.rows, done * plan.size), total: plan.rows });
  const done = await store.db.transaction(async (sql) => {
    await nameFiles(sql, store.blobs, [result]);
    return endShard(sql, job, result, told);
  });
  if (!done) await removeFiles(store, [result]);
  events.changed(whole.id);
}

/**
 * Work that found no room, no process or no database, or whose process died, is done later: the line stands still until
 * there is some again.
 * False: the job is lost, or the database has still to be told.
 */
async function afterError(parts: RunnerParts, { job, controller }: Active, error: unknown): Promise<boolean> {
  const { store, events, space, ended, report } = parts;
  const { aborted, reason } = controller.signal;
  const noProcess = error instanceof HttpError && error.code === "BUSY";
  const away = isColaError(error) && error.code === "STORE_UNREACHABLE";
  const later = noProcess || isDiskFull(error) || (isNoRoom(error) && space.low());
  if (noProcess) report(error);
  if (reason === STOPPING || (!aborted && later)) {
    if (later) await sleep(FULL_MS);
    await requeueJob(store.db, job);
    ended?.("queued");
  } else if (away) {
    await sleep(FULL_MS);
    ended?.("queued");
  } else if (aborted) ended?.("cancelled");
  else if (isDeath(error)) {
    report(error);
    await sleep(FULL_MS);
    await crashJob(store.db, job);
    ended?.("queued");
  } else await fail(parts, job, problemOf(error, store.folder));
  events.changed(job.id);
  return reason !== LOST && !away;
}

async function fail({ store, events, ended }: RunnerParts, job: Job, problem: Problem): Promise<void> {
  const text = JSON.stringify(problem);
  const left = await store.db.transaction(async (sql) => {
    const parts = await partsOf(sql, job.parent ?? job.id);
    const failed = await (job.parent === null ? endJob(sql, job, "failed", text) : failWhole(sql, job, text));
    return failed ? parts : [];
  });
  await removeFiles(store, left);
  ended?.("failed");
  events.changed(job.parent ?? job.id);
}

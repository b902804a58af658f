import type { Queue } from "../../node/queue/queue.ts";
import { endJob, type Job, reopenJobs, requeueJob, startJob } from "../../node/store/jobs.ts";
import type { Store } from "../../node/store/store.ts";
import { ColaError } from "../../src/errors.ts";
import type { ServerLimits } from "../config.ts";
import { isNoRoom, type Problem, problemOf } from "../problem.ts";
import { keep } from "../run/keep.ts";
import type { Recipe } from "../run/recipe.ts";
import type { Space } from "../space.ts";
import type { Workshop } from "../work/workshop.ts";
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

interface Parts {
  readonly store: Store;
  readonly queue: Queue;
  readonly workshop: Workshop;
  readonly events: JobEvents;
  /** No job is begun while there is little. */
  readonly space: Space;
  readonly limits: Pick<ServerLimits, "jobs" | "attempts" | "graceMs">;
  /** Told of what should never happen: the store failing. */
  readonly report: (error: unknown) => void;
  /** Told of every ended job. */
  readonly ended?: (state: "done" | "failed" | "cancelled" | "queued") => void;
}

/** Why work is stopped that another start will finish. */
const STOPPING = new ColaError("ABORTED", "the server is stopping");

/** How often the line is looked at without being told. */
const POLL_MS = 2000;

/** Jobs a killed process left half done go back into the line first. */
export async function startRunner(parts: Parts): Promise<Runner> {
  const { store, queue, space, limits } = parts;
  await queue.giveBack(await reopenJobs(store.db));
  const active = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  let stopping = false;
  let pumping: Promise<void> | undefined;
  let again = false;
  const pump = async (): Promise<void> => {
    while (!stopping && active.size < limits.jobs && !space.low()) {
      const id = await queue.take();
      if (id === undefined) return;
      const controller = new AbortController();
      const done = work(parts, id, controller.signal)
        .catch(parts.report)
        .finally(() => {
          active.delete(id);
          poke();
        });
      active.set(id, { controller, done });
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
  const timer = setInterval(poke, POLL_MS).unref();
  poke();
  return {
    poke,
    get running() {
      return active.size;
    },
    abort: (id) => active.get(id)?.controller.abort(new ColaError("ABORTED", "cancelled")),
    async stop() {
      stopping = true;
      clearInterval(timer);
      await pumping;
      const all = Promise.all([...active.values()].map(({ done }) => done));
      const patience = setTimeout(() => {
        for (const { controller } of active.values()) controller.abort(STOPPING);
      }, limits.graceMs);
      await all;
      clearTimeout(patience);
    },
  };
}

/**
 * One delivery from begin to end; whatever goes wrong ends up in the job's row. A job begins when a process is there
 * for it: a process that dies before did not die of the job.
 */
async function work(parts: Parts, id: string, signal: AbortSignal): Promise<void> {
  const { store, queue, workshop, events, limits, ended } = parts;
  await workshop.warm();
  if (signal.reason === STOPPING) return;
  const job = await startJob(store.db, id);
  if (!job) return store.db.transaction((sql) => queue.drop(sql, id));
  events.changed(id);
  if (job.crashes >= limits.attempts) {
    const detail = `The server died ${job.crashes} times while this job ran; it was given up.`;
    await fail(parts, job, problemOf(new ColaError("INTERNAL", detail), store.folder));
    return;
  }
  try {
    const recipe = JSON.parse(job.recipe) as Recipe;
    const onProgress = (progress: Parameters<JobEvents["progress"]>[1]): void =>
      events.progress(id, progress);
    const cooked = await workshop.cook(recipe, { signal, onProgress });
    const kept = await keep(store, { id, owner: job.owner, recipe, cooked }, async (sql) => {
      const mine = await endJob(sql, job, "done");
      if (mine) await queue.drop(sql, id);
      return mine;
    });
    ended?.(kept ? "done" : "cancelled");
    events.changed(id);
  } catch (error) {
    await afterError(parts, job, signal, error);
  }
}

/** Work that found no room on the disk goes back into the line, which stands still until there is room again. */
async function afterError(parts: Parts, job: Job, signal: AbortSignal, error: unknown): Promise<void> {
  const { store, queue, events, space, ended } = parts;
  if (signal.reason === STOPPING || (isNoRoom(error) && !signal.aborted && space.low())) {
    if (await requeueJob(store.db, job)) await queue.giveBack([job.id]);
    ended?.("queued");
  } else if (signal.aborted) ended?.("cancelled");
  else await fail(parts, job, problemOf(error, store.folder));
  events.changed(job.id);
}

async function fail({ store, queue, events, ended }: Parts, job: Job, problem: Problem): Promise<void> {
  await store.db.transaction(async (sql) => {
    if (await endJob(sql, job, "failed", JSON.stringify(problem))) await queue.drop(sql, job.id);
  });
  ended?.("failed");
  events.changed(job.id);
}

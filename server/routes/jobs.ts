import { randomUUID } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { dropFiles, erase } from "../../node/erase.ts";
import { type Sql, takeTurn } from "../../node/store/database.ts";
import { cancelJob, countOpenJobs, findJob, insertJob, type Job, listJobs } from "../../node/store/jobs.ts";
import { partsOf } from "../../node/store/shards.ts";
import type { Progress } from "../../src/types.ts";
import { type Once, once } from "../idempotency.ts";
import { HttpError } from "../problem.ts";
import { nameFiles } from "../run/named.ts";
import { filesOf, type Recipe, recipeOf } from "../run/recipe.ts";
import { explanation, jobAnswer, jobList, refusals } from "../schemas/answers.ts";
import { checkBody } from "../schemas/body.ts";
import { nextOf, paging } from "../schemas/paging.ts";
import { type ExplanationRequest, explanationRequest } from "../schemas/request.ts";
import type { Api, Server } from "../server.ts";
import { sendExplanation } from "./explanations.ts";
import { eventStream } from "./job-events.ts";

const params = z.object({ id: z.uuid() });
const tags = ["jobs"];

function aboutOf({
  data,
  model,
  counterfactuals,
  calibration,
  options,
}: Recipe): z.output<typeof jobAnswer>["about"] {
  const digest = (ref: string): string => ref.slice(0, 64);
  const { train, file, url } = { train: undefined, file: undefined, url: undefined, ...model };
  return {
    data: data === null ? null : digest(data),
    model: train ? { train } : file ? { file: digest(file) } : { url },
    ...(counterfactuals ? { counterfactuals: digest(counterfactuals) } : {}),
    ...(calibration ? { calibration: digest(calibration) } : {}),
    options: { ...options },
  };
}

function describeJob(server: Server, job: Job): z.output<typeof jobAnswer> {
  const self = `/v1/jobs/${job.id}`;
  return {
    id: job.id,
    about: aboutOf(JSON.parse(job.recipe) as Recipe),
    state: job.state,
    attempt: job.attempt,
    progress:
      server.events.last(job.id) ?? (job.progress === null ? null : (JSON.parse(job.progress) as Progress)),
    error: job.error === null ? null : (JSON.parse(job.error) as z.output<typeof jobAnswer>["error"]),
    createdAt: job.created_at.toISOString(),
    startedAt: job.started_at?.toISOString() ?? null,
    finishedAt: job.finished_at?.toISOString() ?? null,
    links: { self, events: `${self}/events`, result: `${self}/result` },
  };
}

async function jobOf({ store }: Server, owner: string, id: string): Promise<Job> {
  const job = await findJob(store.db, owner, id);
  if (job) return job;
  throw new HttpError("NOT_FOUND", `There is no job ${id}.`);
}

/** Stores a job and puts it in the line, in one transaction with the caller's key. */
async function accept(
  server: Server,
  owner: string,
  request: ExplanationRequest,
  key: Once,
): Promise<string> {
  const { store, limits } = server;
  const full = async (sql: Sql): Promise<void> => {
    if ((await countOpenJobs(sql, owner)) < limits.openJobs) return;
    throw new HttpError("BUSY", `There are ${limits.openJobs} open jobs already; wait or cancel some.`, 5);
  };
  await full(store.db);
  const caps = { rows: limits.rowsJob, timeMs: limits.timeJobMs };
  const recipe = await recipeOf(server, owner, request, caps);
  const id = randomUUID();
  await store.db.transaction(async (sql) => {
    await takeTurn(sql, `owner ${owner}`);
    await full(sql);
    await nameFiles(sql, store.blobs, filesOf(recipe));
    await insertJob(sql, { id, owner, recipe: JSON.stringify(recipe) });
    await key.answered(sql, id);
  });
  return id;
}

/** Cancels an open job: its row first, so that a result that comes too late is dropped, then its work. */
async function cancel(server: Server, owner: string, id: string): Promise<Job> {
  const { store, runner, events } = server;
  await jobOf(server, owner, id);
  const left = await store.db.transaction(async (sql) => {
    const parts = await partsOf(sql, id);
    return (await cancelJob(sql, owner, id)) ? parts : undefined;
  });
  const job = await jobOf(server, owner, id);
  if (!left) throw new HttpError("STATE_CONFLICT", `The job is ${job.state} and cannot be cancelled.`);
  runner.abort(id);
  events.changed(id);
  await dropFiles(store, left);
  return job;
}

/** Removes an ended job with all it left; the job as it was. */
async function remove(server: Server, owner: string, id: string): Promise<Job> {
  const job = await jobOf(server, owner, id);
  if (job.state === "queued" || job.state === "running")
    throw new HttpError("STATE_CONFLICT", `The job is ${job.state}; cancel it first.`);
  await erase(server.store, [id], { by: owner });
  return job;
}

function addChanges(app: Api, server: Server): void {
  app.post(
    "/v1/jobs",
    {
      preValidation: checkBody(server.limits),
      schema: {
        summary: "Explain later: a job with progress, cancel and result",
        tags,
        body: explanationRequest,
        response: { 202: jobAnswer, ...refusals },
      },
    },
    async (request, reply) => {
      const { owner } = request;
      const key = await once(server.store.db, request);
      let id = key.first;
      try {
        id ??= await accept(server, owner, request.body, key);
      } catch (error) {
        await key.release();
        throw error;
      }
      server.runner.poke();
      const job = describeJob(server, await jobOf(server, owner, id));
      return reply.code(202).header("location", job.links.self).send(job);
    },
  );
  app.delete(
    "/v1/jobs/:id",
    {
      schema: {
        summary:
          "Cancel a job; with `erase`, remove one that has ended, its result and the data sent with it",
        tags,
        params,
        querystring: z.object({ erase: z.stringbool().default(false) }),
        response: { 200: jobAnswer, ...refusals },
      },
    },
    async ({ owner, mayErase, params: { id }, query }) => {
      if (query.erase && !mayErase)
        throw new HttpError("ROLE_REFUSED", "A key of this role may cancel jobs, but not erase them.");
      return describeJob(server, await (query.erase ? remove : cancel)(server, owner, id));
    },
  );
}

function addReads(app: Api, server: Server): void {
  app.get(
    "/v1/jobs",
    {
      schema: {
        summary: "Jobs, the newest first",
        tags,
        querystring: paging(z.uuid()),
        response: { 200: jobList, ...refusals },
      },
    },
    async ({ owner, query: { limit, before } }) => {
      if (before !== undefined) await jobOf(server, owner, before);
      const jobs = await listJobs(server.store.db, owner, limit, before);
      return { jobs: jobs.map((job) => describeJob(server, job)), next: nextOf(jobs, limit) };
    },
  );
  app.get(
    "/v1/jobs/:id",
    { schema: { summary: "One job", tags, params, response: { 200: jobAnswer, ...refusals } } },
    async ({ owner, params: { id } }) => describeJob(server, await jobOf(server, owner, id)),
  );
}

/** What a running job tells, and what it made. */
function addOutcome(app: Api, server: Server): void {
  app.get(
    "/v1/jobs/:id/events",
    {
      schema: {
        summary: "Progress as server-sent events, until the job ends",
        description: "Events `state` (the job) and `progress` ({ stage, done, total }).",
        tags,
        params,
        response: { 200: z.string().describe("text/event-stream"), ...refusals },
      },
    },
    async ({ owner, keyed, params: { id } }, reply) => {
      await jobOf(server, owner, id);
      const describe = async () => describeJob(server, await jobOf(server, owner, id));
      const stream = eventStream(server, describe, { id, owner, keyed });
      const open: FastifyReply = reply;
      return open.type("text/event-stream").header("cache-control", "no-store").send(stream);
    },
  );
  app.get(
    "/v1/jobs/:id/result",
    {
      schema: {
        summary: "The explanation a job made",
        tags,
        params,
        response: { 200: explanation, ...refusals },
      },
    },
    async ({ owner, params: { id } }, reply) => {
      const job = await jobOf(server, owner, id);
      if (job.state === "done") return sendExplanation(server, owner, id, reply);
      throw new HttpError("STATE_CONFLICT", `The job is ${job.state}; only a done job has a result.`);
    },
  );
}

export const jobRoutes =
  (server: Server): FastifyPluginAsyncZod =>
  async (app) => {
    addChanges(app, server);
    addReads(app, server);
    addOutcome(app, server);
  };

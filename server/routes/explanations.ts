import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { erase } from "../../node/erase.ts";
import type { Ref } from "../../node/store/blobs.ts";
import { findExplanation } from "../../node/store/explanations.ts";
import { locales } from "../../show/locales/registry.ts";
import { ColaError } from "../../src/errors.ts";
import { OPTIONS } from "../../study/options.ts";
import { once } from "../idempotency.ts";
import { HttpError } from "../problem.ts";
import { keep } from "../run/keep.ts";
import { recipeOf } from "../run/recipe.ts";
import { typeOf } from "../run/result.ts";
import { explanation, refusals } from "../schemas/answers.ts";
import { checkBody } from "../schemas/body.ts";
import { type ExplanationRequest, explanationRequest } from "../schemas/request.ts";
import type { Api, Server } from "../server.ts";

const idParam = z.object({ id: z.uuid() });
const localeParam = z.enum(Object.keys(locales) as [string, ...string[]]).default(OPTIONS.locale.default);

/** Days as papers are dated. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const dateParam = (what: string) =>
  z.string().regex(DAY).optional().describe(`${what}, as 2026-05-31; default: today (UTC)`);
const today = (): string => new Date().toISOString().slice(0, 10);

/** The file of a kept explanation. */
export async function resultOf({ store }: Server, owner: string, id: string): Promise<Ref> {
  const stored = await findExplanation(store.db, id, owner);
  if (stored) return stored.result;
  throw new HttpError("NOT_FOUND", `There is no explanation ${id}.`);
}

/** Sends a kept explanation, byte by byte as it is stored. */
export async function sendExplanation(server: Server, owner: string, id: string, reply: FastifyReply) {
  const result = await resultOf(server, owner, id);
  const { bytes, pieces } = await server.store.blobs.stream(result);
  return reply
    .header("explanation-id", id)
    .header("content-length", bytes)
    .type(typeOf(result))
    .send(Readable.from(pieces, { objectMode: false }));
}

/** Aborted when the caller hangs up before the answer. */
function callerOf(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableEnded) controller.abort(new ColaError("ABORTED", "the caller went away"));
  });
  request.raw.once("error", () => controller.abort(new ColaError("ABORTED", "the caller went away")));
  return controller.signal;
}

/** Small work, done while the caller waits; the id of what was made, now or when the same key came first. */
export async function explainNow(
  server: Server,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: ExplanationRequest,
): Promise<string> {
  const { store, workers, gate, limits } = server;
  const { owner } = request;
  const key = await once(store.db, request);
  if (key.first !== undefined) return key.first;
  const signal = callerOf(request, reply);
  try {
    const caps = { rows: limits.rowsNow, timeMs: limits.timeNowMs };
    const recipe = await recipeOf(server, owner, asked, caps);
    const id = randomUUID();
    const computed = await gate.enter(owner, () => workers.compute(recipe, { signal }), signal);
    await keep(store, { id, owner, recipe, computed }, async (sql) => {
      await key.answered(sql, id);
      return true;
    });
    return id;
  } catch (error) {
    await key.release();
    throw error;
  }
}

/** The row, the result and the data that only this one needed; a record says that it is gone. */
function addErase(app: Api, server: Server): void {
  app.delete(
    "/v1/explanations/:id",
    {
      schema: {
        summary: "Erase an explanation, its job and the data sent with it",
        tags: ["explanations"],
        params: idParam,
        response: { 204: z.null(), ...refusals },
      },
    },
    async ({ owner, params: { id } }, reply) => {
      await resultOf(server, owner, id);
      await erase(server.store, [id], { by: owner });
      return reply.code(204).send(null);
    },
  );
}

/** A file to keep, never a page of this address: what it shows came from outside. */
function addReport(app: Api, server: Server): void {
  app.get(
    "/v1/explanations/:id/report",
    {
      schema: {
        summary: "A kept explanation as a page for people, report.html",
        tags: ["explanations"],
        params: idParam,
        querystring: z.object({ locale: localeParam, date: dateParam("day of the report") }),
        response: { 200: z.string().describe("text/html"), ...refusals },
      },
    },
    async ({ owner, params: { id }, query: { locale, date = today() } }, reply) => {
      const result = await resultOf(server, owner, id);
      const page = await server.gate.enter(owner, () => server.workers.report(result, { locale, date }));
      const open: FastifyReply = reply;
      return open
        .type("text/html; charset=utf-8")
        .header("content-disposition", 'attachment; filename="report.html"')
        .send(page);
    },
  );
}

/** One page for one person, as a file like the report. */
function addLetter(app: Api, server: Server): void {
  const querystring = z.object({
    row: z
      .string()
      .min(1)
      .max(1000)
      .describe("the person: id of the row, or its number where rows have none"),
    locale: localeParam,
    format: z.enum(["html", "text"]).default("html"),
    date: dateParam("day of the letter"),
    sender: z.string().max(300).optional().describe("who writes: the line above the letter"),
  });
  app.get(
    "/v1/explanations/:id/letter",
    {
      schema: {
        summary: "One page for one person of a kept explanation: the decision, its reasons, the plan",
        tags: ["explanations"],
        params: idParam,
        querystring,
        response: { 200: z.string().describe("text/html, or text/plain"), ...refusals },
      },
    },
    async ({ owner, params: { id }, query }, reply) => {
      const result = await resultOf(server, owner, id);
      const { format, date = today() } = query;
      const letter = await server.gate.enter(owner, () => server.workers.letter(result, { ...query, date }));
      const open: FastifyReply = reply;
      return open
        .type(`text/${format === "html" ? "html" : "plain"}; charset=utf-8`)
        .header("content-disposition", `attachment; filename="letter.${format === "html" ? "html" : "txt"}"`)
        .send(letter);
    },
  );
}

const CARD_TYPES = {
  html: ["text/html", "card.html"],
  markdown: ["text/markdown", "card.md"],
  json: ["application/json", "card.json"],
} as const;

/** What a model-risk team files about the method and this run, as a file like the report. */
function addCard(app: Api, server: Server): void {
  const querystring = z.object({
    locale: localeParam,
    format: z.enum(["html", "markdown", "json"]).default("html"),
    date: dateParam("day of the card"),
  });
  app.get(
    "/v1/explanations/:id/card",
    {
      schema: {
        summary:
          "The method card of a kept explanation: purpose, data, method, limits, evidence, figures to monitor",
        tags: ["explanations"],
        params: idParam,
        querystring,
        response: { 200: z.string().describe("text/html, text/markdown or application/json"), ...refusals },
      },
    },
    async ({ owner, params: { id }, query }, reply) => {
      const result = await resultOf(server, owner, id);
      const { date = today() } = query;
      const card = await server.gate.enter(owner, () => server.workers.card(result, { ...query, date }));
      const [type, name] = CARD_TYPES[query.format];
      const open: FastifyReply = reply;
      return open
        .type(`${type}; charset=utf-8`)
        .header("content-disposition", `attachment; filename="${name}"`)
        .send(card);
    },
  );
}

export const explanationRoutes =
  (server: Server): FastifyPluginAsyncZod =>
  async (app) => {
    const { limits } = server;
    app.post(
      "/v1/explanations",
      {
        preValidation: checkBody(limits),
        schema: {
          summary: "Explain now: small work, answered at once",
          tags: ["explanations"],
          body: explanationRequest,
          response: { 200: explanation, ...refusals },
        },
      },
      async (request, reply) =>
        sendExplanation(server, request.owner, await explainNow(server, request, reply, request.body), reply),
    );
    app.get(
      "/v1/explanations/:id",
      {
        schema: {
          summary: "A kept explanation",
          tags: ["explanations"],
          params: idParam,
          response: { 200: explanation, ...refusals },
        },
      },
      async (request, reply) => sendExplanation(server, request.owner, request.params.id, reply),
    );
    addErase(app, server);
    addReport(app, server);
    addLetter(app, server);
    addCard(app, server);
  };

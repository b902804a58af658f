import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { appendEvent } from "../../node/audit/trail.ts";
import { digestOf } from "../../node/store/blobs.ts";
import { holdFiles } from "../../node/store/hold.ts";
import {
  findResource,
  listResources,
  putResource,
  type Resource,
  type ResourceKind,
  removeResource,
  resourceId,
} from "../../node/store/resources.ts";
import { readableFormats } from "../../src/read/readers.ts";
import { HttpError } from "../problem.ts";
import type { Inspected } from "../run/inspect.ts";
import { nameFiles } from "../run/named.ts";
import { refusals, resourceAnswer, resourceList, type resourceName } from "../schemas/answers.ts";
import { checkBody } from "../schemas/body.ts";
import { nextOf, paging } from "../schemas/paging.ts";
import { overlay } from "../schemas/request.ts";
import type { Api, Server } from "../server.ts";

/** Constraints are answered with all they hold. */
const MOST_CONSTRAINT_BYTES = 2 ** 20;
const NAME = /^[^\p{C}]{1,200}$/u;
const querystring = z.object({ name: z.string().regex(NAME).optional().describe("what people call it") });
/** Upload addresses and what they keep. */
const PLACES = {
  data: "data",
  models: "model",
  constraints: "constraints",
  counterfactuals: "counterfactuals",
} as const;
/** Those whose upload is a file. */
type FilePlace = Exclude<keyof typeof PLACES, "constraints">;

function nameResource(resource: Omit<Resource, "about">): z.output<typeof resourceName> {
  return {
    id: resource.id,
    kind: resource.kind,
    name: resource.name,
    sha256: resource.ref.slice(0, 64),
    bytes: Number(resource.bytes),
    createdAt: resource.created_at.toISOString(),
  };
}

function describeResource(resource: Resource): z.output<typeof resourceAnswer> {
  return { ...nameResource(resource), about: JSON.parse(resource.about) as Record<string, unknown> };
}

async function found({ store }: Server, owner: string, kind: ResourceKind, id: string): Promise<Resource> {
  const resource = await findResource(store.db, owner, kind, id);
  if (resource) return resource;
  throw new HttpError("NOT_FOUND", `There is no ${kind} ${id}.`);
}

/** Registers what `make` stores; it is called only when there is room. What is stored already needs none. */
async function register(
  { store, quota }: Server,
  { owner, kind, name }: Pick<Resource, "owner" | "kind" | "name">,
  content: Uint8Array,
  make: () => Promise<Inspected>,
) {
  const { db } = store;
  const known = async (): Promise<boolean> =>
    (await findResource(db, owner, kind, resourceId(kind, await digestOf(content)))) !== undefined;
  const again = (await quota.exceeded(owner, content.length)) && (await known());
  return quota.within(owner, again ? 0 : content.length, async () => {
    const { ref, bytes, about } = await make();
    const resource = { owner, kind, name, ref, bytes, about: JSON.stringify(about) };
    const put = await db.transaction(async (sql) => {
      await nameFiles(sql, store.blobs, [ref]);
      const kept = await putResource(sql, resource);
      await appendEvent(store, sql, { event: "upload", owner, upload: kept.id, bytes });
      return kept;
    });
    return describeResource(put);
  });
}

/** List, look at and forget, the same for every kind. */
function addReads(app: Api, server: Server, place: keyof typeof PLACES): void {
  const { db, blobs } = server.store;
  const kind = PLACES[place];
  const tags = [place];
  const id = z.string().regex(new RegExp(`^${kind}_[0-9a-f]{32}$`));
  const params = z.object({ id });
  app.get(
    `/v1/${place}`,
    {
      schema: {
        summary: `Registered ${place}, the newest first`,
        tags,
        querystring: paging(id),
        response: { 200: resourceList, ...refusals },
      },
    },
    async ({ owner, query: { limit, before } }) => {
      if (before !== undefined) await found(server, owner, kind, before);
      const items = await listResources(db, owner, kind, limit, before);
      return { items: items.map(nameResource), next: nextOf(items, limit) };
    },
  );
  app.get(
    `/v1/${place}/:id`,
    {
      schema: {
        summary: "What was found in it",
        tags,
        params,
        response: { 200: resourceAnswer, ...refusals },
      },
    },
    async ({ owner, params: { id } }) => describeResource(await found(server, owner, kind, id)),
  );
  const summary = "Forget it; explanations made with it cannot be replayed any more";
  app.delete(
    `/v1/${place}/:id`,
    { schema: { summary, tags, params, response: { 204: z.null(), ...refusals } } },
    async ({ owner, params: { id } }, reply) => {
      const resource = await found(server, owner, kind, id);
      await db.transaction(async (sql) => {
        await holdFiles(sql, [resource.ref], "alone");
        await appendEvent(server.store, sql, { event: "delete", owner, upload: id });
        if (await removeResource(sql, resource)) await blobs.remove(resource.ref, undefined, sql);
      });
      return reply.code(204).send(null);
    },
  );
}

/** The body is the file itself. */
function addUpload(app: Api, server: Server, place: FilePlace, summary: string): void {
  const { workers, gate, limits } = server;
  app.post(
    `/v1/${place}`,
    {
      bodyLimit: limits.uploadBytes,
      schema: {
        summary,
        description: "The body is the file itself, e.g. as application/octet-stream or text/csv.",
        tags: [place],
        querystring,
        response: { 201: resourceAnswer, ...refusals },
      },
    },
    async (request, reply) => {
      const { owner, query, body } = request;
      if (!Buffer.isBuffer(body) || body.length === 0)
        throw new HttpError(
          "REQUEST_INVALID",
          "Send the file itself as the body, e.g. as application/octet-stream.",
        );
      const type = request.headers["content-type"] ?? "";
      const { name = place } = query;
      const order =
        place === "models"
          ? { kind: "model" as const, bytes: body }
          : { kind: PLACES[place], name, bytes: body, type };
      const called = { owner, kind: PLACES[place], name };
      const make = () => gate.enter(owner, () => workers.inspect(order));
      return reply.code(201).send(await register(server, called, body, make));
    },
  );
}

/** The file as it was uploaded. */
function addFile(app: Api, server: Server, place: FilePlace): void {
  const kind = PLACES[place];
  const params = z.object({ id: z.string().regex(new RegExp(`^${kind}_[0-9a-f]{32}$`)) });
  app.get(
    `/v1/${place}/:id/file`,
    {
      schema: {
        summary: "The file as it was uploaded",
        tags: [place],
        params,
        response: { 200: z.string().describe("application/octet-stream"), ...refusals },
      },
    },
    async ({ owner, params: { id } }, reply) => {
      const { ref } = await found(server, owner, kind, id);
      const open: FastifyReply = reply;
      const { bytes, pieces } = await server.store.blobs.stream(ref);
      return open
        .type("application/octet-stream")
        .header("content-length", bytes)
        .send(Readable.from(pieces, { objectMode: false }));
    },
  );
}

function addConstraints(app: Api, server: Server): void {
  const { store, limits } = server;
  const summary = "Register constraints";
  app.post(
    "/v1/constraints",
    {
      bodyLimit: Math.min(MOST_CONSTRAINT_BYTES, limits.bodyBytes),
      preValidation: checkBody(limits),
      schema: {
        summary,
        tags: ["constraints"],
        querystring,
        body: overlay,
        response: { 201: resourceAnswer, ...refusals },
      },
    },
    async ({ owner, query, body }, reply) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const called = { owner, kind: "constraints" as const, name: query.name ?? "constraints" };
      const make = async () => ({
        ref: await store.blobs.put(bytes, "json"),
        bytes: bytes.length,
        about: body,
      });
      return reply.code(201).send(await register(server, called, bytes, make));
    },
  );
}

export const resourceRoutes =
  (server: Server): FastifyPluginAsyncZod =>
  async (app) => {
    for (const place of Object.keys(PLACES) as (keyof typeof PLACES)[]) addReads(app, server, place);
    addUpload(app, server, "data", "Upload a table: CSV, TSV, JSON lines, Parquet or Arrow");
    addUpload(app, server, "models", `Upload a model: ${readableFormats()}`);
    addUpload(
      app,
      server,
      "counterfactuals",
      "Upload counterfactuals: a table, DiCE's JSON, an Alibi explanation",
    );
    for (const place of ["data", "models", "counterfactuals"] as const) addFile(app, server, place);
    addConstraints(app, server);
  };

import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import {
  findResource,
  listResources,
  putResource,
  type Resource,
  type ResourceKind,
  removeResource,
  usedBytes,
} from "../../node/store/resources.ts";
import { HttpError } from "../problem.ts";
import { type Inspected, inspectData, inspectModel } from "../run/inspect.ts";
import { refusals, resourceAnswer, resourceList } from "../schemas/answers.ts";
import { overlay } from "../schemas/request.ts";
import type { Server } from "../server.ts";

const NAME = /^[^\p{C}]{1,200}$/u;
const querystring = z.object({ name: z.string().regex(NAME).optional().describe("what people call it") });
/** Upload addresses and what they keep. */
const PLACES = { data: "data", models: "model", constraints: "constraints" } as const;

function describeResource(resource: Resource): z.output<typeof resourceAnswer> {
  return {
    id: resource.id,
    kind: resource.kind,
    name: resource.name,
    sha256: resource.ref.slice(0, 64),
    bytes: Number(resource.bytes),
    createdAt: resource.created_at.toISOString(),
    about: JSON.parse(resource.about) as Record<string, unknown>,
  };
}

export const resourceRoutes =
  (server: Server): FastifyPluginAsyncZod =>
  async (app) => {
    const { store, gate, limits } = server;
    const register = async (owner: string, kind: ResourceKind, name: string, made: Inspected) => {
      if ((await usedBytes(store.db, owner)) + made.bytes > limits.ownerBytes)
        throw new HttpError(
          "QUOTA",
          `All uploads together may have ${limits.ownerBytes} bytes; delete some.`,
        );
      const about = JSON.stringify(made.about);
      return describeResource(
        await putResource(store.db, { owner, kind, name, ref: made.ref, bytes: made.bytes, about }),
      );
    };
    for (const [place, kind] of Object.entries(PLACES)) {
      const tags = [place];
      const id = z.string().regex(new RegExp(`^${kind}_[0-9a-f]{32}$`));
      const params = z.object({ id });
      app.get(
        `/v1/${place}`,
        { schema: { summary: `Registered ${place}`, tags, response: { 200: resourceList, ...refusals } } },
        async ({ owner }) => ({ items: (await listResources(store.db, owner, kind)).map(describeResource) }),
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
        async ({ owner, params: { id } }) => describeResource(await found(owner, kind, id)),
      );
      app.delete(
        `/v1/${place}/:id`,
        {
          schema: {
            summary: "Forget it; explanations made with it cannot be replayed any more",
            tags,
            params,
            response: { 204: z.null(), ...refusals },
          },
        },
        async ({ owner, params: { id } }, reply) => {
          const resource = await found(owner, kind, id);
          if (await removeResource(store.db, resource)) store.blobs.remove(resource.ref);
          return reply.code(204).send(null);
        },
      );
    }
    const found = async (owner: string, kind: ResourceKind, id: string): Promise<Resource> => {
      const resource = await findResource(store.db, owner, kind, id);
      if (resource) return resource;
      throw new HttpError("NOT_FOUND", `There is no ${kind} ${id}.`);
    };
    const upload = (place: "data" | "models", summary: string, inspect: typeof inspectData) =>
      app.post(
        `/v1/${place}`,
        {
          bodyLimit: limits.uploadBytes,
          schema: { summary, tags: [place], querystring, response: { 201: resourceAnswer, ...refusals } },
        },
        async (request, reply) => {
          const { owner, query, body } = request;
          if (!Buffer.isBuffer(body) || body.length === 0)
            throw new HttpError(
              "REQUEST_INVALID",
              "Send the file itself as the body, e.g. as application/octet-stream.",
            );
          const name = query.name ?? place;
          const type = request.headers["content-type"] ?? "";
          const made = await gate.enter(() => inspect(store.blobs, limits, body, type));
          return reply.code(201).send(await register(owner, PLACES[place], name, made));
        },
      );
    upload("data", "Upload a table: CSV, TSV, JSON lines, Parquet or Arrow", inspectData);
    upload("models", "Upload a model: XGBoost, LightGBM, ONNX or saved by cola train", inspectModel);
    app.post(
      "/v1/constraints",
      {
        schema: {
          summary: "Register constraints",
          tags: ["constraints"],
          querystring,
          body: overlay,
          response: { 201: resourceAnswer, ...refusals },
        },
      },
      async ({ owner, query, body }, reply) => {
        const bytes = Buffer.from(JSON.stringify(body));
        const made = { ref: store.blobs.put(bytes, "json"), bytes: bytes.length, about: body };
        return reply.code(201).send(await register(owner, "constraints", query.name ?? "constraints", made));
      },
    );
  };

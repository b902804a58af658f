import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { VERSION } from "../../src/version.ts";
import { keysOf, type ServerConfig } from "../config.ts";

/**
 * The page from its folder, or a sentence where it was not built. `studio.json` tells the page that a server is
 * behind it; the file of this name beside the page says that there is none.
 */
export async function addPage(app: FastifyInstance, config: ServerConfig): Promise<void> {
  const { page: folder } = config;
  const about = { server: true, version: VERSION, key: keysOf(config).length > 0 };
  const free = { config: { rateLimit: false }, schema: { hide: true } };
  app.get("/studio.json", free, async (_, reply) => reply.header("cache-control", "no-store").send(about));
  if (folder && existsSync(join(folder, "index.html"))) {
    await app.register(fastifyStatic, { root: resolve(folder), dotfiles: "deny" });
    return;
  }
  app.get("/", { schema: { hide: true } }, async (_, reply) =>
    reply
      .type("text/plain; charset=utf-8")
      .send("The server runs. The page is not built; the API is described at /openapi.json.\n"),
  );
}

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";

/** The page from its folder, or a sentence where it was not built. */
export async function addPage(app: FastifyInstance, folder: string | undefined): Promise<void> {
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

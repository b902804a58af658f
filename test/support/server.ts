import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { openQueue } from "../../node/queue/pg-boss.ts";
import { sha256 } from "../../node/store/blobs.ts";
import { openStore } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import type { ServerConfig } from "../../server/config.ts";

/**
 * A copy of an empty, migrated store: making a database costs seconds of CPU, copying one does not. The original
 * is made once per schema and kept in the cache.
 */
export async function freshFolder(): Promise<string> {
  const key = sha256(
    readFileSync("node/store/migrations.ts", "utf8") +
      readFileSync("node_modules/@electric-sql/pglite/package.json", "utf8") +
      readFileSync("node_modules/pg-boss/package.json", "utf8"),
  ).slice(0, 16);
  const template = join("node_modules/.cache/cola", `store-${key}`);
  if (!existsSync(template)) {
    mkdirSync("node_modules/.cache/cola", { recursive: true });
    const draft = mkdtempSync(join("node_modules/.cache/cola", "draft-"));
    const store = await openStore(draft);
    await (await openQueue(store.db)).stop();
    await store.close();
    try {
      renameSync(draft, template);
    } catch {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "cola-server-"));
  cpSync(template, folder, { recursive: true });
  return folder;
}

/** A server on a fresh folder, asked with `inject`. */
export async function testApp(
  config: Partial<ServerConfig> = {},
): Promise<FastifyInstance & { folder: string }> {
  const folder = config.folder ?? (await freshFolder());
  const app = await createApp({ ...config, folder, limits: { perMinute: 1e6, ...config.limits } });
  return Object.assign(app, { folder });
}

/** Waits until a job has ended. */
export async function ended(
  app: FastifyInstance,
  id: string,
  headers = {},
): Promise<Record<string, unknown>> {
  for (;;) {
    const job = (await app.inject({ url: `/v1/jobs/${id}`, headers })).json() as Record<string, unknown>;
    if (["done", "failed", "cancelled"].includes(String(job["state"]))) return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

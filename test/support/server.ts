import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterAll } from "vitest";
import { sha256 } from "../../node/store/blobs.ts";
import { openStore as open, type Place, type Store } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import type { ServerConfig } from "../../server/config.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

/** COLA_TEST_STORE=postgres: the same tests on a real PostgreSQL server, files in a folder all can see. */
export const onPostgres = process.env["COLA_TEST_STORE"] === "postgres";

let started: Promise<Postgres> | undefined;
/** The PostgreSQL server of this test file. */
export function postgres(): Promise<Postgres> {
  started ??= startPostgres();
  return started;
}
afterAll(async () => {
  await (await started)?.stop();
});

/** Where a store is whose folder this is: its database has the folder's name. */
export async function placeOf(folder: string): Promise<Place> {
  if (!onPostgres) return { folder };
  const database = await (await postgres()).database(basename(folder).toLowerCase().replace(/\W/g, "_"));
  return { database, blobs: join(folder, "files") };
}

/** The words that name a store to `cola`. */
export async function storeWords(folder: string): Promise<string[]> {
  const { database, blobs } = await placeOf(folder);
  return database === undefined ? ["--store", folder] : ["--database", database, "--blobs", blobs!];
}

export async function openStore(folder: string): Promise<Store> {
  return open(await placeOf(folder));
}

/**
 * A copy of an empty, migrated store: making a database costs seconds of CPU, copying one does not. The original
 * is made once per schema and kept in the cache.
 */
export async function freshFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cola-server-"));
  if (onPostgres) {
    mkdirSync(join(folder, "files"));
    return folder;
  }
  const key = sha256(
    readFileSync("node/store/migrations.ts", "utf8") +
      readFileSync("node_modules/@electric-sql/pglite/package.json", "utf8"),
  ).slice(0, 16);
  const template = join("node_modules/.cache/cola", `store-${key}`);
  if (!existsSync(template)) {
    mkdirSync("node_modules/.cache/cola", { recursive: true });
    const draft = mkdtempSync(join("node_modules/.cache/cola", "draft-"));
    await (await open(draft)).close();
    try {
      renameSync(draft, template);
    } catch {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  cpSync(template, folder, { recursive: true });
  return folder;
}

/** A server on a fresh store, asked with `inject`. */
export async function testApp(
  config: Partial<ServerConfig> = {},
): Promise<FastifyInstance & { folder: string }> {
  const folder = config.folder ?? (await freshFolder());
  const place = await placeOf(folder);
  const app = await createApp({ ...config, ...place, limits: { perMinute: 1e6, ...config.limits } });
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

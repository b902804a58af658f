import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { buildWeb } from "../../scripts/build-web.ts";
import { launchBrowser } from "./browser.ts";
import { freshFolder } from "./server.ts";
import { type ServeProcess, startServe } from "./studio-server.ts";

/** The page, a browser to look at it and a server behind it, for one file of tests; `missing`: why there is no browser. */
export interface Scene {
  readonly missing: string;
  readonly page: string;
  browser: Browser;
  store: string;
  serve: ServeProcess;
}

export async function studioScene(): Promise<Scene> {
  const launched = await launchBrowser();
  const page = mkdtempSync(join(tmpdir(), "cola-page-"));
  const scene = { page, missing: "missing" in launched ? launched.missing : "" } as Scene;
  beforeAll(async () => {
    if (!("browser" in launched)) return;
    scene.browser = launched.browser;
    await buildWeb(page, false);
    scene.store = await freshFolder();
    scene.serve = await startServe({ store: scene.store, page });
  }, 240_000);
  afterAll(async () => {
    await scene.browser?.close();
    await scene.serve?.kill("SIGTERM");
    for (const folder of [page, scene.store]) if (folder) rmSync(folder, { recursive: true, force: true });
  });
  return scene;
}

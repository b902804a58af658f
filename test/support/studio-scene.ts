import { rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "./browser.ts";
import { builtPage } from "./page.ts";
import { freshFolder } from "./server.ts";
import { type ServeProcess, startServe } from "./studio-server.ts";

/** The page, a browser to look at it and a server behind it, for one file of tests; `missing`: why there is no browser. */
export interface Scene {
  readonly missing: string;
  page: string;
  browser: Browser;
  store: string;
  serve: ServeProcess;
}

export async function studioScene(): Promise<Scene> {
  const launched = await launchBrowser();
  const scene = { missing: "missing" in launched ? launched.missing : "" } as Scene;
  beforeAll(async () => {
    if (!("browser" in launched)) return;
    scene.browser = launched.browser;
    scene.page = await builtPage();
    scene.store = await freshFolder();
    scene.serve = await startServe(scene);
  }, 240_000);
  afterAll(async () => {
    await scene.browser?.close();
    await scene.serve?.kill("SIGTERM");
    if (scene.store) rmSync(scene.store, { recursive: true, force: true });
  });
  return scene;
}

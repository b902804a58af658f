import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { buildWeb } from "../../scripts/build-web.ts";
import { launchBrowser } from "./browser.ts";
import { BUILT } from "./command.ts";
import { opened, type Served, serveFolder } from "./studio.ts";

/** The page, built once for a run of the tests: who comes first builds it, all others wait for that. */
export async function builtPage(): Promise<string> {
  const page = join(BUILT!, "page");
  while (!existsSync(page)) {
    if (taken(`${page}.lock`)) await buildTo(page);
    else await wait(100);
  }
  return page;
}

function taken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whole or not at all; after a failure the next may try. */
async function buildTo(page: string): Promise<void> {
  try {
    if (existsSync(page)) return;
    await buildWeb(`${page}.part`, false);
    renameSync(`${page}.part`, page);
  } finally {
    rmSync(`${page}.lock`, { recursive: true });
  }
}

/** The page under the policy it must live with and a browser to look at it, for one file of tests. */
export interface PageScene {
  /** Why nothing can be looked at; empty where it can. */
  readonly missing: string;
  readonly browser: Browser;
  /** A new tab with the page. */
  open(options?: Parameters<typeof opened>[1]): ReturnType<typeof opened>;
}

/** `lacking`: what else is not here. */
export async function pageScene(lacking = ""): Promise<PageScene> {
  const launched = await launchBrowser();
  const missing = "missing" in launched ? launched.missing : lacking;
  let served: Served;
  beforeAll(async () => {
    if (missing === "") served = await serveFolder(await builtPage());
  }, 240_000);
  afterAll(async () => {
    if ("browser" in launched) await launched.browser.close();
    await served?.close();
  });
  const browser = ("browser" in launched ? launched.browser : undefined) as Browser;
  return {
    missing,
    browser,
    async open(options) {
      const page = await opened(browser, options);
      await page.goto(served.address);
      return page;
    },
  };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../test/support/browser.ts";
import { outcome, ownFile } from "../test/support/studio.ts";
import { type ServeProcess, startServe } from "../test/support/studio-server.ts";
import { buildWeb } from "./build-web.ts";

/** Every state of the studio as a picture in docs/: `npx tsx scripts/studio-pictures.ts`. */
const FOLDER = "docs/images/studio";
const SLOW = { timeout: 120_000 };

type Options = Parameters<Browser["newPage"]>[0];

interface Scene {
  readonly browser: Browser;
  /** The page behind a server, and the same page in a folder of its own store with keys. */
  readonly serve: ServeProcess;
  readonly locked: ServeProcess;
}

async function opened({ browser }: Scene, address: string, options: Options = {}): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 820 },
    reducedMotion: "reduce",
    ...options,
  });
  await page.goto(address);
  await page.getByRole("button", { name: "Find the few edits" }).waitFor(SLOW);
  await page.getByText("1,000 rows").waitFor(SLOW);
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  console.log(`${name}.png`);
}

const run = (page: Page): Promise<void> => page.getByRole("button", { name: "Find the few edits" }).click();
const tab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();

async function ran(page: Page): Promise<void> {
  await run(page);
  await page.getByRole("grid").waitFor(SLOW);
  await page.mouse.move(0, 0);
}

async function slow(page: Page, seed: number): Promise<void> {
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("gp");
  await page.getByRole("button", { name: /^Counterfactuals/ }).click();
  await page.getByLabel("Counterfactuals from").selectOption("direct");
  await page.getByText("Pairing, choice of edits, seed").click();
  await page.getByLabel("Seed").fill(String(seed));
}

/** The states of the page by itself, as in `studio.html`. */
async function pageStates(scene: Scene): Promise<void> {
  const page = await opened(scene, scene.serve.url);
  await page.getByLabel("this page").check();
  await take(page, "start");
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("gp");
  await run(page);
  await page.locator("progress[value]").waitFor(SLOW);
  await take(page, "running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled").waitFor();
  await take(page, "cancelled");
  await page.getByLabel("Model", { exact: true }).selectOption("logistic");
  await page.getByRole("button", { name: /^Features/ }).click();
  await ran(page);
  await page.getByRole("row").nth(3).click();
  await page
    .getByRole("button", { name: /^Lock .* and try again/ })
    .first()
    .click();
  await page.getByText(/^Answered again/).waitFor();
  await page.getByRole("tab", { name: "People" }).scrollIntoViewIfNeeded();
  await take(page, "person");
  for (const name of ["Budget", "Group", "Files"]) {
    await tab(page, name);
    if (name === "Budget") await page.getByRole("slider").fill("60");
    await page.waitForTimeout(500);
    await take(page, name.toLowerCase());
  }
  await tab(page, "Compare");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.locator("button.primary:enabled", { hasText: "Compare" }).waitFor(SLOW);
  await page.getByRole("heading", { name: "Outcome" }).evaluate((heading) => heading.scrollIntoView());
  await take(page, "compare");
  await page
    .getByLabel(/Choose a table/)
    .setInputFiles({ name: "bad.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1\n") });
  await page.getByRole("alert").waitFor();
  await take(page, "error");
  await page.close();
}

/** A table and a model of somebody's own, and the letter for one of the people. */
async function ownStates(scene: Scene): Promise<void> {
  const page = await opened(scene, scene.serve.url);
  await page.getByLabel("this page").check();
  const files = ["model.onnx", "encoding.json", "loans.csv"].map((name) => join("examples/parts", name));
  await page.getByLabel(/Choose a table/).setInputFiles(files);
  await page.getByText("Model of model.onnx").first().waitFor(SLOW);
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByText("Inputs and columns").first().click();
  await take(page, "own");
  await page.getByRole("radio", { name: "granted" }).check();
  await ran(page);
  await page.getByRole("grid").getByRole("row").nth(3).click();
  await page.getByRole("button", { name: "Letter" }).click();
  await page.getByRole("dialog").locator("article").waitFor();
  await take(page, "letter");
  await page.close();
}

/** A curve, groups compared, some people only, and a saved run that is opened. */
async function closerStates(scene: Scene): Promise<void> {
  const page = await opened(scene, scene.serve.url);
  await page.getByLabel("this page").check();
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("xgboost");
  await page.getByRole("button", { name: /^Counterfactuals/ }).click();
  await page.getByText("Pairing, choice of edits, seed").click();
  await page.getByLabel(/^Compare groups by/).fill("housing");
  await page.getByText("Pairing, choice of edits, seed").click();
  await ran(page);
  await page.getByRole("row").nth(2).click();
  const panel = page.getByRole("region", { name: /^Plan for/ });
  await panel.getByText(/certified to be all sets/).waitFor(SLOW);
  await panel
    .getByRole("button", { name: /^Load / })
    .first()
    .click();
  await panel.getByRole("button", { name: "Curve Amount asked" }).click();
  await panel.locator(".dependence svg").waitFor();
  await panel.locator(".dependence").scrollIntoViewIfNeeded();
  await take(page, "curve");
  await panel.getByRole("button", { name: "Close this person" }).click();
  await tab(page, "Group");
  await page.getByRole("heading", { name: "By Housing" }).scrollIntoViewIfNeeded();
  await take(page, "groups");
  await page.getByRole("region", { name: "The burden by group" }).getByRole("button").first().click();
  await page.getByText("Some people only").first().click();
  await tab(page, "Budget");
  await page.locator(".heat rect").first().waitFor(SLOW);
  await page.evaluate(() => scrollTo(0, 0));
  await take(page, "some");
  await tab(page, "Files");
  const [saved] = await Promise.all([
    page.waitForEvent("download", SLOW),
    page.getByRole("button", { name: "This run" }).click(),
  ]);
  await page.getByLabel("Open a saved run").setInputFiles(await saved.path());
  await page.getByText("What was checked on opening").click();
  await page.evaluate(() => scrollTo(0, 0));
  await take(page, "checks");
  await page.close();
}

/** Dark, and on a phone. */
async function otherScreens(scene: Scene): Promise<void> {
  const dark = await opened(scene, scene.serve.url, { colorScheme: "dark" });
  await dark.getByLabel("this page").check();
  await ran(dark);
  await take(dark, "people");
  await dark.close();
  const phone = await opened(scene, scene.serve.url, { viewport: { width: 390, height: 844 } });
  await phone.getByLabel("this page").check();
  await ran(phone);
  await phone.getByRole("grid").scrollIntoViewIfNeeded();
  await take(phone, "phone");
  await phone.close();
}

/** Work on the server: sending, in line and running, two at once, the result, and what can go wrong. */
async function serverStates(scene: Scene, restart: () => Promise<void>): Promise<void> {
  const page = await opened(scene, scene.serve.url);
  await page
    .getByLabel(/Choose a table/)
    .setInputFiles({ name: "applications.csv", mimeType: "text/csv", buffer: ownFile() });
  await page.getByRole("button", { name: /^Data applications/ }).waitFor(SLOW);
  await outcome(page, "decision");
  await page.getByLabel("Names the rows").selectOption("applicant");
  await page.getByText("1,000 rows, 11 features").waitFor(SLOW);
  await take(page, "server-start");
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByLabel("What should be reached").fill("granted");
  await ran(page);
  await page.getByText(/applications\.csv ·/).waitFor();
  await take(page, "server-result");
  await page.getByLabel("What should be reached").fill("nobody");
  await run(page);
  await page.getByRole("heading", { name: "The job failed" }).waitFor(SLOW);
  await take(page, "server-failed");
  await page.getByLabel("What should be reached").fill("granted");
  await page.getByRole("button", { name: /^Model/ }).click();
  await slow(page, 1);
  await run(page);
  await page.locator("progress[aria-label='Progress of this job'][value]").waitFor(SLOW);
  await take(page, "server-running");
  await page.getByLabel("Seed").fill("2");
  const first = page.url();
  await run(page);
  await page.waitForURL((address) => address.href !== first);
  await page.locator("progress[aria-label='Progress of this job'][value]").waitFor(SLOW);
  await page.waitForTimeout(1000);
  await page.getByRole("region", { name: "Jobs on this server" }).scrollIntoViewIfNeeded();
  await take(page, "server-two-jobs");
  await scene.serve.kill("SIGKILL");
  await page.getByRole("heading", { name: "The server does not answer" }).waitFor(SLOW);
  await take(page, "server-lost");
  await restart();
  await page.getByText(/Begun again/).waitFor(SLOW);
  await take(page, "server-back");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("heading", { name: "Cancelled" }).waitFor();
  await take(page, "server-cancelled");
  await page.close();
  const asked = await opened(scene, scene.locked.url, { colorScheme: "dark" });
  await asked.getByLabel("This server asks for an API key").waitFor();
  await take(asked, "server-key");
  await asked.close();
}

const freshStore = (): string => mkdtempSync(join(tmpdir(), "cola-pictures-store-"));

const launched = await launchBrowser();
if ("missing" in launched) throw new Error(launched.missing);
const page = mkdtempSync(join(tmpdir(), "cola-pictures-"));
const stores = [freshStore(), freshStore()] as const;
await buildWeb(page, false);
const locked = await startServe({ store: stores[1], page, keys: "risk:a-secret-of-some-length" });
let serve = await startServe({ store: stores[0], page });
try {
  const scene: Scene = { browser: launched.browser, serve, locked };
  await pageStates(scene);
  await ownStates(scene);
  await closerStates(scene);
  await otherScreens(scene);
  await serverStates(scene, async () => {
    serve = await startServe({ store: stores[0], page, port: serve.port });
  });
} finally {
  await launched.browser.close();
  await serve.kill("SIGTERM");
  await locked.kill("SIGTERM");
  for (const folder of [page, ...stores]) rmSync(folder, { recursive: true, force: true });
}

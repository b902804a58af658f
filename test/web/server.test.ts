import { readFileSync, rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { readTable } from "../../formats/index.ts";
import type { Explanation } from "../../src/explanation.ts";
import { freshFolder } from "../support/server.ts";
import { FILES, opened, outcome, ownFile, tab, text, violations } from "../support/studio.ts";
import { studioScene } from "../support/studio-scene.ts";
import { startServe } from "../support/studio-server.ts";

const scene = await studioScene();
const { missing } = scene;

interface Job {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
}

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(`${scene.serve.url}${path}`)).json()) as T;
}

async function jobs(): Promise<readonly Job[]> {
  return (await get<{ jobs: Job[] }>("/v1/jobs?limit=200")).jobs;
}

function jobOf(it: Page): string {
  return new URL(it.url()).searchParams.get("job") ?? "";
}

const run = (it: Page): Promise<void> => it.getByRole("button", { name: "Find the few edits" }).click();

async function ran(it: Page): Promise<void> {
  await run(it);
  await it.getByRole("grid").waitFor({ timeout: 120_000 });
}

/** A job of some seconds: a Gaussian process, asked edit by edit. */
async function slowJob(it: Page): Promise<string> {
  await it.goto(scene.serve.url);
  await it.getByRole("button", { name: /^Model/ }).click();
  await it.getByLabel("Model", { exact: true }).selectOption("gp");
  await it.getByRole("button", { name: /^Counterfactuals/ }).click();
  await it.getByLabel("Counterfactuals from").selectOption("direct");
  await it.getByLabel("People at most").fill("30");
  return started(it);
}

/** Runs, and waits until the job runs on the server. */
async function started(it: Page): Promise<string> {
  const before = jobOf(it);
  await run(it);
  await expect.poll(() => jobOf(it), { timeout: 60_000 }).not.toBe(before);
  const id = jobOf(it);
  await expect
    .poll(async () => (await get<Job>(`/v1/jobs/${id}`)).state, { timeout: 60_000, interval: 500 })
    .toBe("running");
  return id;
}

/** Waits for a job as long as its server works on it, however busy the machine is. */
async function ended(id: string): Promise<void> {
  const state = async (): Promise<string> => (await get<Job>(`/v1/jobs/${id}`)).state;
  await expect.poll(state, { timeout: 500_000, interval: 500 }).not.toMatch(/queued|running/);
}

/** Errors of the page beyond connections the test itself broke. */
function own(errors: readonly string[]): string[] {
  return errors.filter((message) => !/net::ERR_|Failed to load resource/.test(message));
}

describe.skipIf(missing !== "")(`the studio on its server${missing && `: ${missing}`}`, () => {
  test("a table goes up, a job runs, the result comes, all files come down; its address opens it again", async () => {
    const it = await opened(scene.browser);
    const asked: string[] = [];
    it.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await it.goto(scene.serve.url);
    await it
      .getByLabel(/Choose a table/)
      .setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: ownFile() });
    await it.getByText("1,000 rows").waitFor();
    await outcome(it, "decision");
    await it.getByLabel("Names the rows").selectOption("applicant");
    await it.getByText(/1,000 rows, 11 features/).waitFor();
    await it.getByRole("button", { name: /^Features/ }).click();
    await it.getByLabel("Lock amount").check();
    await it.getByRole("button", { name: /^Model/ }).click();
    await it.getByLabel("Model", { exact: true }).selectOption("forest");
    await it.getByLabel("What should be reached").fill("granted");
    expect(await violations(it)).toEqual([]);
    await ran(it);
    expect(asked).toContain("POST /v1/data");
    expect(asked).toContain("POST /v1/jobs");
    const id = jobOf(it);
    const kept = await get<Explanation>(`/v1/jobs/${id}/result`);
    await it.getByText(/mine\.csv · Random forest/).waitFor();
    expect(await violations(it)).toEqual([]);
    const { items } = await get<{ items: { id: string; name: string }[] }>("/v1/data");
    expect(items.map(({ name }) => name)).toEqual(["mine.csv"]);
    const file = await (await fetch(`${scene.serve.url}/v1/data/${items[0]!.id}/file`)).arrayBuffer();
    expect(Buffer.from(file).equals(ownFile())).toBe(true);

    await tab(it, "Files");
    const [saved] = await Promise.all([
      it.waitForEvent("download"),
      it.getByRole("button", { name: "This run" }).click(),
    ]);
    expect(JSON.parse(await text(saved))).toEqual(kept);
    expect(String(kept.rows[0]!.id)).toMatch(/^A-\d+$/);
    const touched = kept.rows.flatMap((row) => row.edits.map((edit) => edit.feature));
    expect(touched.length).toBeGreaterThan(50);
    expect(touched).not.toContain("amount");
    const [report] = await Promise.all([
      it.waitForEvent("download", { timeout: 60_000 }),
      it.getByRole("button", { name: "Report" }).click(),
    ]);
    expect(await text(report)).toContain(kept.runHash);
    await it.getByText(/^Saved report/).waitFor();
    const files = new Map<string, string>();
    it.on("download", async (download) => {
      files.set(download.suggestedFilename(), await download.path());
    });
    for (const [name, file] of Object.entries(FILES)) {
      await it.getByRole("button", { name, exact: true }).click();
      await it.getByText(new RegExp(`^Saved .*${file}`)).waitFor({ timeout: 60_000 });
      await expect.poll(() => [...files.keys()]).toContain(file);
    }
    const edits = await readTable("edits.csv", readFileSync(files.get("edits.csv")!));
    const role = edits.columns[edits.names.indexOf("role")]!;
    expect(role.filter((name) => name === "plan")).toHaveLength(kept.totals.edits);
    const z = await readTable("z.parquet", readFileSync(files.get("z.parquet")!));
    expect(z.rows).toBe(100);
    expect(JSON.parse(readFileSync(files.get("model.json")!, "utf8"))).toMatchObject({ type: "cola-model" });
    expect(own(it.errors)).toEqual([]);

    const other = await opened(scene.browser);
    await other.goto(`${scene.serve.url}/?job=${id}`);
    await other.getByText(kept.runHash.slice(0, 12)).waitFor({ timeout: 60_000 });
    await other.getByText(/mine\.csv · Random forest/).waitFor();
    expect(other.errors).toEqual([]);
    await Promise.all([it.close(), other.close()]);
  }, 240_000);

  test("the server and the page make the same plans; lock and try again, the budget slider", async () => {
    const it = await opened(scene.browser);
    await it.goto(scene.serve.url);
    await ran(it);
    const there = await get<Explanation>(`/v1/jobs/${jobOf(it)}/result`);
    await it.getByRole("row").nth(2).click();
    const panel = it.getByRole("region", { name: /^Plan for/ });
    const lock = panel.getByRole("button", { name: /^Lock .* and try again/ }).first();
    const feature = (await lock.textContent())!.replace(/^Lock (.*) and try again$/, "$1");
    await lock.click();
    await panel.getByText(/^Answered again in/).waitFor();
    expect((await panel.locator(".plan").allTextContents()).join(" ")).not.toContain(`${feature} from`);
    await tab(it, "Budget");
    const reached = it.locator(".slider .tile").nth(2).locator(".value");
    await expect.poll(async () => Number(await reached.textContent())).toBe(there.totals.valid);
    await it.getByRole("slider").fill("20");
    await expect.poll(async () => Number(await reached.textContent())).toBe(20);
    await it.getByLabel("this page").check();
    await run(it);
    await expect.poll(() => jobOf(it), { timeout: 60_000 }).toBe("");
    await tab(it, "Files");
    const [saved] = await Promise.all([
      it.waitForEvent("download"),
      it.getByRole("button", { name: "This run" }).click(),
    ]);
    const here = JSON.parse(await text(saved)) as Explanation;
    expect(here.rows).toEqual(there.rows);
    expect(here.curve).toEqual(there.curve);
    expect(own(it.errors)).toEqual([]);
    await it.close();
  }, 180_000);

  test("constraints that are set and lifted count on the server", async () => {
    const it = await opened(scene.browser);
    await it.goto(scene.serve.url);
    await it.getByRole("button", { name: /^Features/ }).click();
    await it.getByLabel("Lock Income").check();
    const employed = it.getByRole("listitem").filter({ hasText: "Years employed" });
    await employed.locator("summary").click();
    await employed.getByLabel("either").check();
    await ran(it);
    const { schema, rows } = await get<Explanation>(`/v1/jobs/${jobOf(it)}/result`);
    const named = (name: string) => schema.features.find((feature) => feature.name === name);
    expect(named("income")).toMatchObject({ immutable: true });
    expect(named("employment")).toBeDefined();
    expect(named("employment")).not.toHaveProperty("direction");
    expect(rows.flatMap((row) => row.edits.map((edit) => edit.feature))).not.toContain("income");
    await it.close();
  }, 120_000);

  test("a job is cancelled, a failed one says why, an unknown one too", async () => {
    const it = await opened(scene.browser);
    const id = await slowJob(it);
    await it.getByRole("progressbar", { name: "Progress of this job" }).waitFor();
    expect(await violations(it)).toEqual([]);
    await it.getByRole("button", { name: "Cancel", exact: true }).click();
    await it.getByRole("heading", { name: "Cancelled" }).waitFor();
    expect((await get<Job>(`/v1/jobs/${id}`)).state).toBe("cancelled");
    expect(await violations(it)).toEqual([]);
    await it.getByRole("button", { name: /^Model/ }).click();
    await it.getByLabel("Model", { exact: true }).selectOption("tree");
    await it.getByLabel("What should be reached").fill("nobody");
    await run(it);
    await it.getByRole("heading", { name: "The job failed" }).waitFor({ timeout: 30_000 });
    expect(await it.getByRole("alert").textContent()).toMatch(/nobody/);
    expect(await violations(it)).toEqual([]);
    await it.goto(`${scene.serve.url}/?job=00000000-0000-4000-8000-000000000000`);
    await it.getByText("This server does not know the job").waitFor();
    expect(own(it.errors)).toEqual([]);
    await it.close();
  }, 180_000);

  test("reload in the middle of a job: its progress goes on, and the result comes", async () => {
    const it = await opened(scene.browser);
    const id = await slowJob(it);
    const before = (await jobs()).length;
    await it.reload();
    expect(jobOf(it)).toBe(id);
    await it.getByRole("heading", { name: "Running on the server" }).waitFor();
    await it.locator("progress[aria-label='Progress of this job'][value]").waitFor({ timeout: 60_000 });
    await ended(id);
    await it.getByRole("grid").waitFor({ timeout: 180_000 });
    expect((await jobs()).length).toBe(before);
    expect(await get<Job>(`/v1/jobs/${id}`)).toMatchObject({ state: "done", attempt: 1 });
    expect(it.errors).toEqual([]);
    await it.close();
  }, 600_000);

  test("two jobs at once: both are shown, both end, each is opened again from the list", async () => {
    const it = await opened(scene.browser);
    const first = await slowJob(it);
    await it.getByText("Pairing, choice of edits, seed").click();
    await it.getByLabel("Seed").fill("7");
    const second = await started(it);
    const list = it.getByRole("region", { name: "Jobs on this server" });
    await expect.poll(() => list.getByText("running").count()).toBe(2);
    expect(await violations(it)).toEqual([]);
    for (const id of [first, second]) await ended(id);
    await it.getByRole("grid").waitFor({ timeout: 180_000 });
    for (const id of [first, second]) expect((await get<Job>(`/v1/jobs/${id}`)).state).toBe("done");
    await expect.poll(() => list.getByText("running").count()).toBe(0);
    await list.locator(`a[href*="${first}"]`).click();
    const { runHash } = await get<Explanation>(`/v1/jobs/${first}/result`);
    await it.getByText(runHash.slice(0, 12)).waitFor();
    await it.goBack();
    expect(jobOf(it)).toBe(second);
    await it.getByText((await get<Explanation>(`/v1/jobs/${second}/result`)).runHash.slice(0, 12)).waitFor();
    expect(it.errors).toEqual([]);
    await it.close();
  }, 600_000);

  test("kill -9 of the server in the middle of a job: the page waits, the job begins again, nothing is lost", async () => {
    const it = await opened(scene.browser);
    const id = await slowJob(it);
    const before = (await jobs()).length;
    const { port } = scene.serve;
    await scene.serve.kill("SIGKILL");
    await it.getByRole("heading", { name: "The server does not answer" }).waitFor({ timeout: 30_000 });
    expect(await violations(it)).toEqual([]);
    scene.serve = await startServe({ store: scene.store, page: scene.page, port });
    await it.getByText(/Begun again after the server was interrupted/).waitFor({ timeout: 60_000 });
    await ended(id);
    await it.getByRole("grid").waitFor({ timeout: 180_000 });
    expect((await jobs()).length).toBe(before);
    expect(await get<Job>(`/v1/jobs/${id}`)).toMatchObject({ state: "done", attempt: 2 });
    expect(own(it.errors)).toEqual([]);
    await it.close();
  }, 600_000);

  test("a server with keys: asked once, a wrong one is refused, the right one stays out of every address", async () => {
    const folder = await freshFolder();
    const secret = "a-secret-of-some-length";
    const locked = await startServe({
      store: folder,
      page: scene.page,
      keys: `risk:${secret}`,
    });
    try {
      const it = await opened(scene.browser);
      const asked: string[] = [];
      it.on("request", (request) => asked.push(request.url()));
      await it.goto(locked.url);
      await it.getByLabel("This server asks for an API key").fill("wrong");
      expect(await violations(it)).toEqual([]);
      await it.getByRole("button", { name: "Use it" }).click();
      await it.getByLabel(/does not know this API key/).fill(secret);
      await it.getByRole("button", { name: "Use it" }).click();
      await ran(it);
      await it.reload();
      await it.getByRole("grid").waitFor({ timeout: 60_000 });
      expect([it.url(), ...asked].filter((address) => address.includes(secret))).toEqual([]);
      expect(own(it.errors)).toEqual([]);
      await it.close();
    } finally {
      await locked.kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    }
  }, 180_000);
});

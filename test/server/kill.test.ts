import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { replay } from "../../server/run/replay.ts";
import { stream } from "../../src/num/random.ts";
import { COMMAND } from "../support/command.ts";
import { figures } from "../support/figures.ts";
import { freshFolder, openStore, storeWords } from "../support/server.ts";

const KILLS = process.env["COLA_SOAK"] === "1" ? 20 : 3;
const children: ChildProcess[] = [];
let folder = "";
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function serve(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const args = [...COMMAND, "serve", "--port", "0", ...(await storeWords(folder))];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let text = "";
  child.stderr!.on("data", (part: Buffer) => {
    text = (text + part).slice(-4000);
  });
  return new Promise((done, fail) => {
    child.once("exit", (code) => fail(new Error(`the server ended with ${code}: ${text}`)));
    child.stdout!.on("data", (part: Buffer) => {
      const url = /listens on (\S+)/.exec(String(part))?.[1];
      if (!url) return;
      if (new URL(url).hostname === "127.0.0.1") done({ child, url });
      else fail(new Error(`${url} is not the loopback`));
    });
  });
}

interface Ask {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** Sends; undefined when the server died before its answer. */
async function send(url: string, { path, key, body }: Ask): Promise<Response | undefined> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  return fetch(`${url}${path}`, { method: "POST", headers, body }).catch(() => undefined);
}

test(`kill -9 at ${KILLS} random moments under load: no accepted job is lost or has two results`, async () => {
  folder = await freshFolder();
  const random = stream(process.pid, "kills");
  const jobs = new Map<string, string>();
  const answers = new Map<string, string>();
  const cut: Ask[] = [];
  let number = 0;
  const ask = async (url: string, what: Ask): Promise<void> => {
    const response = await send(url, what);
    const text = await response?.text().catch(() => undefined);
    if (!response || text === undefined) cut.push(what);
    else if (response.status === 202) jobs.set((JSON.parse(text) as { id: string }).id, what.key);
    else if (response.status === 200) answers.set(response.headers.get("explanation-id")!, text);
    else expect([409, 503]).toContain(response.status);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const { child, url } = await serve(folder);
    let alive = true;
    const load = async (): Promise<void> => {
      while (alive) {
        const rows = 1 + (number % 4);
        const path = number % 5 === 0 ? "/v1/explanations" : "/v1/jobs";
        await ask(url, {
          path,
          key: `k${number++}`,
          body: JSON.stringify({ options: { rows, seed: number % 3 } }),
        });
      }
    };
    const clients = [load(), load(), load()];
    await new Promise((resolve) => setTimeout(resolve, 200 + random.int(1500)));
    alive = false;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await Promise.all([gone, ...clients]);
  }
  const { child, url } = await serve(folder);
  const cutOff = cut.length;
  for (const what of cut.splice(0)) await ask(url, what);
  expect(cut).toEqual([]);
  const results = new Map<string, string>();
  for (const id of jobs.keys()) {
    const job = async () => (await (await fetch(`${url}/v1/jobs/${id}`)).json()) as { state: string };
    await expect
      .poll(async () => (await job()).state, { timeout: 300_000, interval: 50 })
      .not.toMatch(/queued|running/);
    expect(await job()).toMatchObject({ state: "done", error: null });
    results.set(id, await (await fetch(`${url}/v1/jobs/${id}/result`)).text());
  }
  for (const [id, text] of answers)
    expect(await (await fetch(`${url}/v1/explanations/${id}`)).text()).toBe(text);
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  expect((await gone)[0]).toBe(0);

  const store = await openStore(folder);
  try {
    const report = await verifyAudit(store);
    expect(report.problems).toEqual([]);
    const kept = await store.db.query<{ id: string; state: string }>("select id, state from jobs");
    expect(kept.filter((job) => job.state !== "done")).toEqual([]);
    expect([...jobs.keys()].filter((id) => !kept.some((job) => job.id === id))).toEqual([]);
    expect(new Set(jobs.values()).size, "a repeated key made a second job").toBe(jobs.size);
    expect(kept.length).toBe(jobs.size);
    const records = await store.db.query<{ record: string }>("select record from audit");
    const told = records.map(({ record }) => (JSON.parse(record) as { explanation: string }).explanation);
    expect(new Set(told).size, "an explanation was recorded twice").toBe(told.length);
    expect(jobs.size).toBeGreaterThan(0);
    const some = [...results.keys()][random.int(results.size)]!;
    expect(await replay(store, some)).toMatchObject({ same: true });
    const counts = { jobs: jobs.size, answeredAtOnce: answers.size, cutOff, records: report.records };
    figures("kills", { kills: KILLS, ...counts });
  } finally {
    await store.close();
  }
}, 900_000);

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openQueue } from "../../node/queue/pg-boss.ts";
import type { Queue } from "../../node/queue/queue.ts";
import { openBlobs } from "../../node/store/blobs.ts";
import { cancelJob, endJob, findJob, insertJob, reopenJobs, startJob } from "../../node/store/jobs.ts";
import { lockFolder } from "../../node/store/lock.ts";
import { openStore, type Store } from "../../node/store/store.ts";
import { endJobOfAnybody } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { freshFolder } from "../support/server.ts";

let store: Store;
let queue: Queue;
beforeAll(async () => {
  store = await openStore(await freshFolder());
  queue = await openQueue(store.db);
});
afterAll(async () => {
  await queue.stop();
  await store.close();
  rmSync(store.folder, { recursive: true, force: true });
});

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const send = (id: string): Promise<void> =>
  store.db.transaction(async (sql) => {
    await insertJob(sql, { id, owner: "ada", recipe: "{}" });
    await queue.send(sql, id);
  });

test("a folder belongs to one process; a lock of a dead one is taken over", async () => {
  await expect(openStore(store.folder)).rejects.toMatchObject({ code: "STORE_LOCKED" });
  const folder = mkdtempSync(join(tmpdir(), "cola-lock-"));
  writeFileSync(join(folder, "lock"), "999999999 1");
  const { release } = await lockFolder(folder);
  expect(readFileSync(join(folder, "lock"), "utf8")).toContain(String(process.pid));
  await expect(lockFolder(folder)).rejects.toThrow(/in use/);
  release();
  writeFileSync(join(folder, "lock"), `${process.pid} 1`);
  (await lockFolder(folder)).release();
  rmSync(folder, { recursive: true });
});

test("a job that is not stored is not in the line either", async () => {
  const broken = store.db.transaction(async (sql) => {
    await insertJob(sql, { id: uuid(1), owner: "ada", recipe: "{}" });
    await queue.send(sql, uuid(1));
    throw new Error("no");
  });
  await expect(broken).rejects.toThrow("no");
  expect(await findJob(store.db, "ada", uuid(1))).toBeUndefined();
  expect(await queue.take()).toBeUndefined();
});

test("a job is given to one taker, in order, and again after a crash", async () => {
  await send(uuid(2));
  await send(uuid(3));
  expect([await queue.take(), await queue.take(), await queue.take()]).toEqual([uuid(2), uuid(3), undefined]);
  const job = (await startJob(store.db, uuid(2)))!;
  expect(await startJob(store.db, uuid(2))).toBeUndefined();
  await queue.giveBack(await reopenJobs(store.db));
  expect((await findJob(store.db, "ada", uuid(2)))!.crashes).toBe(1);
  expect([await queue.take(), await queue.take()].sort()).toEqual([uuid(2), uuid(3)]);
  const again = (await startJob(store.db, uuid(2)))!;
  const onlyTheLastAttemptEnds = async (end: typeof endJob): Promise<void> => {
    expect(await end(store.db, job, "done"), "the first attempt has lost the job").toBe(false);
    expect(await end(store.db, again, "done")).toBe(true);
    expect(await end(store.db, again, "failed")).toBe(false);
  };
  await onlyTheLastAttemptEnds(endJob);
  await refuses(() => onlyTheLastAttemptEnds(endJobOfAnybody));
  expect(await cancelJob(store.db, "ada", uuid(2))).toBe(false);
  expect(await cancelJob(store.db, "bob", uuid(3))).toBe(false);
  expect(await cancelJob(store.db, "ada", uuid(3))).toBe(true);
});

test("files are found by content only", () => {
  const blobs = openBlobs(join(store.folder, "files"));
  const ref = blobs.put(Buffer.from("abc"), "csv");
  expect(blobs.put(Buffer.from("abc"), "csv")).toBe(ref);
  expect(Buffer.from(blobs.get(ref)).toString()).toBe("abc");
  for (const name of ["../lock", "..\\lock", `${"a".repeat(64)}.csv/..`, "/etc/passwd", ""])
    expect(() => blobs.path(name), name).toThrow(/names no stored file/);
  writeFileSync(blobs.path(ref), "abd");
  expect(() => blobs.get(ref)).toThrow(/changed on disk/);
});

test("only node/store and node/queue know which database it is", () => {
  const knows = ["src", "node", "server", "cli", "show", "formats"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /["'](@electric-sql\/pglite|pg-boss)["']/.test(readFileSync(file, "utf8")));
  expect(knows.sort()).toEqual([join("node", "queue", "pg-boss.ts"), join("node", "store", "pglite.ts")]);
});

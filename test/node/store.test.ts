import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRows } from "../../node/store/blob-rows.ts";
import { type Blobs, openFolder, PIECE } from "../../node/store/blobs.ts";
import { claimKey } from "../../node/store/idempotency.ts";
import {
  cancelJob,
  endJob,
  findJob,
  insertJob,
  renewJob,
  requeueJob,
  takeJob,
} from "../../node/store/jobs.ts";
import { lockFolder } from "../../node/store/lock.ts";
import { reserve, unreserve, usedBytes } from "../../node/store/resources.ts";
import { openStore as open, type Store } from "../../node/store/store.ts";
import { endJobOfAnybody } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { freshFolder, onPostgres, openStore } from "../support/server.ts";

let store: Store;
let folder = "";
beforeAll(async () => {
  folder = await freshFolder();
  store = await openStore(folder);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const send = (id: string, owner = "ada"): Promise<void> => insertJob(store.db, { id, owner, recipe: "{}" });
const silent = (id: string): Promise<unknown> =>
  store.db.query("update jobs set lease_until = now() - interval '1 second' where id = $1", [id]);

test.skipIf(onPostgres)("a folder belongs to one process; a lock of a dead one is taken over", async () => {
  await expect(open(folder)).rejects.toMatchObject({ code: "STORE_LOCKED" });
  const other = mkdtempSync(join(tmpdir(), "cola-lock-"));
  writeFileSync(join(other, "lock"), "999999999 1");
  const { release } = await lockFolder(other);
  expect(readFileSync(join(other, "lock"), "utf8")).toContain(String(process.pid));
  await expect(lockFolder(other)).rejects.toThrow(/in use/);
  release();
  writeFileSync(join(other, "lock"), `${process.pid} 1`);
  (await lockFolder(other)).release();
  rmSync(other, { recursive: true });
});

test("a job is given to one taker, in order, and to another when its worker is silent", async () => {
  await send(uuid(2));
  await send(uuid(3));
  const taken = await Promise.all([1, 2, 3].map((n) => takeJob(store.db, `worker ${n}`)));
  expect(taken.map((job) => job?.id).sort()).toEqual([uuid(2), uuid(3), undefined].sort());
  const job = taken.find((one) => one?.id === uuid(2))!;
  expect(job).toMatchObject({ state: "running", attempt: 1 });
  expect(await renewJob(store.db, job, '{"done":1}')).toBe(true);
  expect(await findJob(store.db, "ada", uuid(2))).toMatchObject({ progress: '{"done":1}' });
  expect(await takeJob(store.db, "worker 4")).toBeUndefined();
  await silent(uuid(2));
  const again = (await takeJob(store.db, "worker 4"))!;
  expect(again).toMatchObject({ id: uuid(2), attempt: 2, crashes: 1 });
  expect(await renewJob(store.db, job, null), "the first worker hears that it has lost the job").toBe(false);
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

test("a silence counts against a job only where it was all its worker had; giving back does not", async () => {
  await send(uuid(10));
  await send(uuid(11));
  expect((await takeJob(store.db, "both"))!.id).toBe(uuid(10));
  expect((await takeJob(store.db, "both"))!.id).toBe(uuid(11));
  for (const id of [uuid(10), uuid(11)]) await silent(id);
  const first = (await takeJob(store.db, "next"))!;
  const second = (await takeJob(store.db, "other"))!;
  expect([first.crashes, second.crashes]).toEqual([0, 0]);
  await requeueJob(store.db, first);
  expect(await takeJob(store.db, "next")).toMatchObject({ id: first.id, crashes: 0, attempt: 3 });
  await silent(second.id);
  expect(await takeJob(store.db, "one more")).toMatchObject({ id: second.id, crashes: 1 });
  await store.db.script("update jobs set state = 'done' where state <> 'done'");
});

test("what was taken before the clock was set back is not waited for, and is no fault of the job", async () => {
  await send(uuid(15));
  await takeJob(store.db, "then");
  await store.db.script("update jobs set lease_until = now() + interval '1 hour' where state = 'running'");
  expect(await takeJob(store.db, "now")).toMatchObject({ id: uuid(15), attempt: 2, crashes: 0 });
  expect(await takeJob(store.db, "now"), "a lease as it is given").toBeUndefined();
  const key = { owner: "ada", key: "back", claim: uuid(1) };
  expect(await claimKey(store.db, key, "d")).toBeUndefined();
  expect(await claimKey(store.db, { ...key, claim: uuid(2) }, "d")).toMatchObject({ answer: null });
  await store.db.script("update idempotency set lease_until = now() + interval '1 hour' where key = 'back'");
  expect(await claimKey(store.db, { ...key, claim: uuid(2) }, "d")).toBeUndefined();
  await reserve(store.db, uuid(16), "ada", 1000);
  expect(await usedBytes(store.db, "ada")).toBe(1000);
  await store.db.script("update reserved set lease_until = now() + interval '1 day'");
  expect(await usedBytes(store.db, "ada")).toBe(0);
  await unreserve(store.db, uuid(16));
  await store.db.script("update jobs set state = 'done' where state <> 'done'");
});

test("the owner with the fewest running jobs comes first", async () => {
  for (const n of [20, 21, 22]) await send(uuid(n), "many");
  await send(uuid(23), "few");
  const order = [];
  for (const name of ["a", "b", "c", "d"]) order.push((await takeJob(store.db, name))!.id);
  expect(order).toEqual([uuid(20), uuid(23), uuid(21), uuid(22)]);
});

const openers: readonly (readonly [string, () => Blobs])[] = [
  ["a folder", () => openFolder(join(folder, "files"))],
  ["rows of the database", () => openRows(store.db, join(folder, "near"))],
];
test.each(openers)("files in %s are found by content only, whole", async (_, openThem) => {
  const blobs = openThem();
  const ref = await blobs.put(Buffer.from("abc"), "csv");
  expect(await blobs.put(Buffer.from("abc"), "csv")).toBe(ref);
  expect(Buffer.from(await blobs.get(ref)).toString()).toBe("abc");
  expect(readFileSync(await blobs.path(ref), "utf8")).toBe("abc");
  for (const name of ["../lock", "..\\lock", `${"a".repeat(64)}.csv/..`, "/etc/passwd", ""])
    await expect(blobs.path(name), name).rejects.toThrow(/names no stored file/);
  const large = Buffer.alloc(2 * PIECE + 5, 7);
  const made = join(folder, "made");
  writeFileSync(made, large);
  const long = await blobs.putFile(made, "json");
  const { bytes, pieces } = await blobs.stream(long);
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  expect([bytes, Buffer.compare(Buffer.concat(parts), large)]).toEqual([large.length, 0]);
  const [old, now] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
  expect(await blobs.unused(old)).not.toContain(long);
  expect(await blobs.unused(now)).toContain(long);
  expect(await blobs.remove(long, old)).toBe(false);
  expect(await blobs.remove(long, now)).toBe(true);
  await expect(blobs.get(long)).rejects.toThrow(/not there any more/);
});

test("a file at hand that is used stays, however long ago it came; a folder of another user holds none", async () => {
  const near = join(folder, "near");
  const ref = await openRows(store.db, near).put(Buffer.from("used"), "csv");
  const path = await openRows(store.db, near).path(ref);
  const long = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(path, long, long);
  const open = openRows(store.db, join(folder, "third"));
  const third = await open.path(ref);
  utimesSync(third, long, long);
  await open.path(ref);
  for (const name of ["near", "third"]) openRows(store.db, join(folder, name));
  expect([existsSync(path), existsSync(third)]).toEqual([false, true]);
  const link = join(folder, "link");
  symlinkSync(near, link);
  expect(() => openRows(store.db, link)).toThrow(/another user or is a link/);
  chmodSync(near, 0o777);
  openRows(store.db, near);
  expect(statSync(near).mode & 0o777).toBe(0o700);
  if (process.getuid?.() === 0) {
    chownSync(near, 65_534, 65_534);
    expect(() => openRows(store.db, near)).toThrow(/another user or is a link/);
    chownSync(near, 0, 0);
  }
});

test("bytes that were changed where they are kept are not sent as what they were", async () => {
  const inFolder = openFolder(join(folder, "files"));
  const ref = await inFolder.put(Buffer.from("one"), "csv");
  writeFileSync(await inFolder.path(ref), "two");
  const inRows = openRows(store.db, join(folder, "near"));
  const row = await inRows.put(Buffer.from("one"), "csv");
  await inRows.path(row);
  await store.db.query("update blob_chunks set bytes = $1 where ref = $2", [Buffer.from("two"), row]);
  for (const blobs of [inFolder, inRows]) {
    await expect(blobs.check(ref)).rejects.toThrow(/changed on disk/);
    const { pieces } = await blobs.stream(ref);
    await expect(Readable.from(pieces).toArray()).rejects.toThrow(/changed on disk/);
  }
});

test("a PostgreSQL address given as a folder is refused with the right option named", async () => {
  await expect(open("postgres://secret@127.0.0.1/x")).rejects.toThrow(/--database/);
  await expect(open("postgres://secret@127.0.0.1/x")).rejects.not.toThrow(/secret/);
});

test("only node/store knows which database it is", () => {
  const knows = ["src", "node", "server", "cli", "show", "formats"]
    .flatMap((place) =>
      readdirSync(place, { recursive: true, encoding: "utf8" }).map((file) => join(place, file)),
    )
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /["'](@electric-sql\/pglite|pg)["']/.test(readFileSync(file, "utf8")));
  expect(knows.sort()).toEqual(
    ["pglite.ts", "postgres.ts"]
      .map((name) => join("node", "store", name))
      .concat([join("node", "sql.ts")])
      .sort(),
  );
});

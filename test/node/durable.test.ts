import { spawnSync } from "node:child_process";
import fs, { mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFolder } from "../../node/store/blobs.ts";
import type { Sql } from "../../node/store/database.ts";
import { openPglite } from "../../node/store/pglite.ts";
import { refuses } from "../support/refuses.ts";

/** Names of the files that were synced, as Linux tells them. */
const synced: string[] = [];
const { fsyncSync } = fs;
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cola-durable-"));
  fs.fsyncSync = (handle) => {
    synced.push(readlinkSync(`/proc/self/fd/${handle}`));
    fsyncSync(handle);
  };
  syncBuiltinESMExports();
});
afterAll(() => {
  fs.fsyncSync = fsyncSync;
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(process.platform !== "linux")(
  "a commit of the embedded database is answered after its log was synced, which the package alone does not do",
  async () => {
    const each = async (db: Pick<Sql, "query">): Promise<void> => {
      await db.query("create table if not exists kept (n integer)");
      for (let n = 0; n < 5; n++) {
        synced.length = 0;
        await db.query("insert into kept values ($1)", [n]);
        expect(synced.filter((path) => path.includes("pg_wal"))).toHaveLength(1);
      }
    };
    const ours = await openPglite(join(folder, "ours"));
    await each(ours);
    synced.length = 0;
    await ours.transaction(async (sql) => {
      await sql.query("insert into kept values (6)");
      expect(synced, "nothing is promised before the commit").toEqual([]);
    });
    expect(synced.join()).toContain("pg_wal");
    await ours.close();
    const plain = await PGlite.create(join(folder, "plain"));
    await refuses(() =>
      each({ query: async (text, values = []) => (await plain.query<never>(text, [...values])).rows }),
    );
    await plain.close();
  },
);

test("a file is synced before its name says that it is there, and so is the folder of its name", async () => {
  const handle = await open(folder, "r");
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const { sync } = prototype;
  let count = 0;
  prototype.sync = function (this: typeof handle) {
    count++;
    return sync.call(this);
  };
  try {
    await openFolder(join(folder, "files")).put(Buffer.from("abc"), "csv");
    expect(count).toBe(2);
  } finally {
    prototype.sync = sync;
  }
});

/** Where a tracer of system calls is at hand and allowed, the kernel is asked, too. */
const traced = spawnSync("strace", ["-V"]).status === 0 && spawnSync("strace", ["true"]).status === 0;
test.skipIf(!traced)(
  "the kernel hears of every commit (skipped where there is no strace)",
  () => {
    const log = join(folder, "calls.txt");
    const script = `
    import { openPglite } from "./node/store/pglite.ts";
    const db = await openPglite(${JSON.stringify(join(folder, "traced"))});
    await db.query("create table kept (n integer)");
    for (let n = 0; n < 20; n++) {
      await db.query("insert into kept values ($1)", [n]);
      (await import("node:fs")).accessSync(${JSON.stringify(folder)});
    }
    await db.close();`;
    const words = ["-f", "-y", "-e", "trace=fsync,access", "-o", log, process.execPath];
    const run = spawnSync("strace", [...words, "--import", "tsx", "--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(run.status, run.stderr).toBe(0);
    const calls = readFileSync(log, "utf8").split("\n");
    const marks = calls.flatMap((call, i) => (call.includes(`access("${folder}"`) ? [i] : []));
    expect(marks).toHaveLength(20);
    for (const [k, mark] of marks.entries())
      expect(calls.slice(marks[k - 1] ?? 0, mark).join("\n"), `commit ${k}`).toMatch(
        /fsync\(\d+<[^>]*pg_wal/,
      );
  },
  300_000,
);

import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, test } from "vitest";
import { readSql } from "../../node/sql.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-sql-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const code = (c: string) => expect.objectContaining({ code: c });

describe("DuckDB", () => {
  test("reads files by name, with types, dates, gaps and big integers", async () => {
    writeFileSync(join(folder, "t.csv"), "a,b,when\n1,x,2020-01-02\n2,,2021-03-04\n");
    const t = await readSql(
      `select a, b, "when", 9007199254740993::bigint as big from '${join(folder, "t.csv")}' order by a`,
    );
    expect(t.names).toEqual(["a", "b", "when", "big"]);
    expect(t.columns[0]).toEqual([1, 2]);
    expect(t.columns[1]).toEqual(["x", null]);
    expect(t.columns[3]).toEqual(["9007199254740993", "9007199254740993"]);
  });

  test("more rows than memory holds pass through, and no more than the limit are kept", async () => {
    const before = process.memoryUsage().rss;
    const rows = "(select range as i, range * 2 as j from range(100000000))"; // 1.6 GB as numbers
    const t = await readSql(`select count(*) as n, sum(j - i) as s from ${rows} where i % 3 = 0`);
    expect(t.columns).toEqual([[33333334], [1666666683333333]]);
    await expect(readSql(`select * from ${rows}`, { maxRows: 10 })).rejects.toThrow(code("SIZE_LIMIT"));
    expect(process.memoryUsage().rss - before).toBeLessThan(4e8);
  });

  test("reads a database file without being able to change it", async () => {
    const path = join(folder, "d.duckdb");
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run("create table t as select range as i from range(5)");
    connection.closeSync();
    instance.closeSync();
    expect((await readSql("select * from t", { database: path })).rows).toBe(5);
    await expect(readSql("delete from t", { database: path })).rejects.toThrow(code("TABLE_INVALID"));
    await expect(readSql("select * from t", { database: path, maxRows: 4 })).rejects.toThrow(
      code("SIZE_LIMIT"),
    );
    await expect(readSql("select * from nowhere", { database: path })).rejects.toThrow(/nowhere/);
    await expect(readSql("select * from t where i > 9", { database: path })).rejects.toThrow(
      code("TABLE_INVALID"),
    );
  });
});

/** Debian's PostgreSQL, where it is installed and may be started as nobody. */
const binaries = existsSync("/usr/lib/postgresql")
  ? readdirSync("/usr/lib/postgresql")
      .map((v) => join("/usr/lib/postgresql", v, "bin"))
      .filter((b) => existsSync(join(b, "initdb")))
  : [];
const user = { uid: 65534, gid: 65534 };
const usable = binaries.length > 0 && process.getuid?.() === 0;

describe("PostgreSQL (skipped where no server binaries are installed, or not as root)", () => {
  test.skipIf(!usable)("a query over the wire, read only", async () => {
    const home = join(folder, "pg");
    spawnSync("mkdir", ["-p", home]);
    chownSync(folder, user.uid, user.gid);
    chownSync(home, user.uid, user.gid);
    const bin = binaries.at(-1)!;
    const made = spawnSync(join(bin, "initdb"), ["-D", join(home, "data"), "-A", "trust", "-U", "cola"], {
      ...user,
      cwd: home,
    });
    expect(made.status, String(made.stderr)).toBe(0);
    const port = await new Promise<number>((done) => {
      const probe = createServer().listen(0, "127.0.0.1", () => {
        const { port: free } = probe.address() as { port: number };
        probe.close(() => done(free));
      });
    });
    const args = ["-D", join(home, "data"), "-p", String(port), "-h", "127.0.0.1", "-k", home];
    const server = spawn(join(bin, "postgres"), args, { ...user, cwd: home, stdio: "ignore" });
    try {
      const database = `postgres://cola@127.0.0.1:${port}/postgres`;
      let table: Awaited<ReturnType<typeof readSql>> | undefined;
      for (let i = 0; i < 100 && !table; i++) {
        await new Promise((r) => setTimeout(r, 100));
        table = await readSql("select 1 as a, null::text as b, 2.5::float8 as c", { database }).catch(
          () => undefined,
        );
      }
      expect(table).toEqual({ names: ["a", "b", "c"], columns: [[1], [null], [2.5]], rows: 1 });
      const long = "select generate_series(1, 1000000000) as i";
      await expect(readSql(long, { database, maxRows: 3 })).rejects.toThrow(code("SIZE_LIMIT"));
      for (const write of ["create table t (a int)", "select 1; create table t (a int)"])
        await expect(readSql(write, { database })).rejects.toThrow(code("TABLE_INVALID"));
    } finally {
      server.kill("SIGINT");
      await new Promise((done) => server.once("exit", done));
    }
  });
});

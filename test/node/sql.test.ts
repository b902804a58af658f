import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { readSql } from "../../node/sql.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
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

  test("more rows than memory holds pass through, and no more than the limit are kept", () => {
    const program = `
      import { readSql } from ${JSON.stringify(pathToFileURL(resolve("node/sql.ts")).href)};
      const rows = "(select range as i, range * 2 as j from range(100000000))"; // 1.6 GB as numbers
      const t = await readSql("select count(*) as n, sum(j - i) as s from " + rows + " where i % 3 = 0");
      const refused = await readSql("select * from " + rows, { maxRows: 10 }).catch(({ code }) => code);
      console.log(JSON.stringify({ columns: t.columns, refused, peak: process.resourceUsage().maxRSS * 1024 }));`;
    const words = ["--import", "tsx", "--input-type=module", "-e", program];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    const { peak, ...rest } = JSON.parse(stdout || JSON.stringify({ stderr })) as { peak: number };
    expect(rest).toEqual({ columns: [[33333334], [1666666683333333]], refused: "SIZE_LIMIT" });
    expect(peak).toBeLessThan(4e8);
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

test("a database that cannot be opened is told from a query that fails", async () => {
  const newer = join(folder, "newer.duckdb");
  const instance = await DuckDBInstance.create(newer);
  instance.closeSync();
  const bytes = readFileSync(newer);
  const word = (): bigint => BigInt.asUintN(64, bytes.readBigUInt64LE(8) * 0xbf58476d1ce4e5b9n);
  const before = word();
  bytes[12] = 99; // the version, behind a checksum, which is the words' hashes together, and DUCK
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(0) ^ before ^ word(), 0);
  writeFileSync(newer, bytes);
  const said = async (database: string): Promise<string> =>
    readSql("select 1", { database }).then(String, ({ message }: Error) => message);
  expect(await said(newer)).toMatch(
    /^sql: the database cannot be opened \(.*version number 99.*\); another version of DuckDB wrote the file: install a version of @duckdb\/node-api that reads it, or write the table to a Parquet file\.$/,
  );
  const remedy = "; see that it is there, and that its address and user are right (options.database).";
  expect(await said(join(folder, "nowhere.duckdb"))).toMatch(/^sql: the database cannot be opened \(/);
  expect(await said(join(folder, "nowhere.duckdb"))).toContain(remedy);
  expect(await said("postgres://me@127.0.0.1:1/x")).toBe(
    `sql: the database cannot be opened (connect ECONNREFUSED 127.0.0.1:1)${remedy}`,
  );
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
    // A socket in its own folder: no port that another might take.
    const args = ["-D", join(home, "data"), "-h", "", "-k", home];
    const server = spawn(join(bin, "postgres"), args, {
      ...user,
      cwd: home,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const gone = once(server, "exit");
    try {
      await new Promise<void>((ready, fail) => {
        let said = "";
        server.stderr.on("data", (part: Buffer) => {
          said += part;
          if (said.includes("ready to accept connections")) ready();
        });
        server.once("exit", () => fail(new Error(said)));
      });
      const database = `postgres://cola@/postgres?host=${encodeURIComponent(home)}`;
      const table = await readSql("select 1 as a, null::text as b, 2.5::float8 as c", { database });
      expect(table).toEqual({ names: ["a", "b", "c"], columns: [[1], [null], [2.5]], rows: 1 });
      const long = "select generate_series(1, 1000000000) as i";
      await expect(readSql(long, { database, maxRows: 3 })).rejects.toThrow(code("SIZE_LIMIT"));
      for (const write of ["create table t (a int)", "select 1; create table t (a int)"])
        await expect(readSql(write, { database })).rejects.toThrow(code("TABLE_INVALID"));
    } finally {
      server.kill("SIGINT");
      await gone;
    }
  });
});

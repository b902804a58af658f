import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import pg from "pg";
import { postgresPrograms } from "../../scripts/postgres.ts";

/** A real PostgreSQL server of this test alone, on the loopback. */
export interface Postgres {
  readonly port: number;
  /** The address of a database of its own, made where it is missing. */
  database(name: string): Promise<string>;
  /** The address of a database that is there, by a socket in the file system: no network is needed. */
  socketOf(name: string): string;
  /** Stops it without a farewell and starts it again. */
  restart(): Promise<void>;
  /** Cuts so many connections of others at random. */
  cut(count: number): Promise<number>;
  stop(): Promise<void>;
}

type Programs = NonNullable<ReturnType<typeof postgresPrograms>>;

/** Tests that need it are never skipped: a machine without it gets it from the registry. */
export function programs(): Programs {
  const found = postgresPrograms();
  if (found) return found;
  throw new Error("there is no PostgreSQL; run: npx tsx scripts/postgres.ts");
}

/** It refuses to run as root: then it is run as nobody. */
const NOBODY = 65_534;
export const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A fresh cluster, made once and copied: making one takes seconds. */
function freshCluster({ bin, env }: Programs): string {
  const folder = mkdtempSync(join(tmpdir(), "cola-postgres-"));
  give(folder);
  const data = join(folder, "data");
  const template = resolve("node_modules/.cache/cola", `cluster-${bin.replace(/\W+/g, "-")}`);
  if (!existsSync(template)) {
    const words = ["-D", data, "-U", "cola", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
    const made = spawnSync(join(bin, "initdb"), words, { env, encoding: "utf8", ...asUser, cwd: folder });
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
    mkdirSync(dirname(template), { recursive: true });
    const draft = mkdtempSync(`${template}-`);
    cpSync(data, draft, { recursive: true });
    try {
      renameSync(draft, template);
    } catch {
      rmSync(draft, { recursive: true, force: true });
    }
    return data;
  }
  const copied = spawnSync("cp", ["-r", template, data], { encoding: "utf8" });
  if (copied.status !== 0) throw new Error(copied.stderr);
  spawnSync("chmod", ["-R", "go-rwx", data]);
  give(data);
  return data;
}

/** Makes a folder that user's. */
export function give(path: string): void {
  if (process.getuid?.() !== 0) return;
  chownSync(path, NOBODY, NOBODY);
  spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, path]);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

export async function startPostgres(): Promise<Postgres> {
  const found = programs();
  const data = freshCluster(found);
  const port = await freePort();
  const address = (name: string): string => `postgres://cola@127.0.0.1:${port}/${name}`;
  let child = await run(found, data, port, address("postgres"));
  // Whatever ends this process ends it, too.
  const kill = (): void => void child.kill("SIGQUIT");
  process.once("exit", kill);
  const ask = async <T>(statement: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: address("postgres") });
    await client.connect();
    try {
      return (await client.query(statement)).rows as T[];
    } finally {
      await client.end();
    }
  };
  const end = async (): Promise<void> => {
    const gone = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGQUIT")) await gone;
  };
  return {
    port,
    async database(name) {
      const there = await ask(`select from pg_database where datname = '${name}'`);
      if (there.length === 0) await ask(`create database "${name}"`);
      return address(name);
    },
    socketOf: (name) => `${address(name)}?host=${dirname(data)}`,
    async restart() {
      await end();
      child = await run(found, data, port, address("postgres"));
    },
    cut: async (count) =>
      (
        await ask(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'cola' order by random() limit ${count}`,
        )
      ).length,
    async stop() {
      process.off("exit", kill);
      await end();
      rmSync(dirname(data), { recursive: true, force: true });
    },
  };
}

async function run(
  { bin, env }: Programs,
  data: string,
  port: number,
  address: string,
): Promise<ChildProcess> {
  const settings = [
    "fsync=off",
    "max_connections=300",
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${dirname(data)}`,
  ];
  const words = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const child = spawn(join(bin, "postgres"), words, { env, ...asUser, stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr!.on("data", (part: Buffer) => {
    text = (text + part).slice(-4000);
  });
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`PostgreSQL did not start: ${text}`);
    const client = new pg.Client({ connectionString: address });
    const up = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (up) return child;
    await new Promise((done) => setTimeout(done, 100));
  }
}

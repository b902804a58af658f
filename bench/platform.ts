import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { loans } from "../src/data/loans.ts";
import { stream } from "../src/num/random.ts";
import { type Member, programOf, replace, startMember, stopMember } from "../test/support/fleet.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { type BenchRow, printTable } from "./table.ts";

/** Rows of the large job, and of the one that workers share. */
const ROWS = Number(process.env["COLA_BENCH_ROWS"] ?? 21_000);
const SHARED_ROWS = Number(process.env["COLA_BENCH_SHARED_ROWS"] ?? ROWS);

/**
 * A job of many rows on a real PostgreSQL, sent to a server and worked off by processes of `cola worker`: the most that
 * any of them held, whether the bytes are those of the command line, one worker against two, and what a kill halfway
 * has done again. COLA_BENCH_ROWS=1000000 COLA_BENCH_SHARED_ROWS=200000 for the long one, COLA_BUILT=1 for the program
 * as it was built.
 */
export async function benchPlatform(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  const postgres = await startPostgres();
  try {
    const table = join(folder, "people.csv");
    writeTable(table, ROWS);
    const large = await study(postgres, { table, rows: ROWS, workers: 1 });
    const own = await commandLine(folder, table, ROWS);
    const shared = { table: join(folder, "shared.csv"), rows: SHARED_ROWS };
    writeTable(shared.table, shared.rows);
    const one = await study(postgres, { ...shared, workers: 1 });
    const two = await study(postgres, { ...shared, workers: 2 });
    const killed = await study(postgres, { ...shared, workers: 2, kill: true });
    const same = own.digest === large.digest;
    const row = (name: string, ours: number, unit: string, bar?: string, ok?: boolean): BenchRow => ({
      ...{ name, ours, unit },
      ...(bar === undefined ? {} : { bar, ok: ok! }),
    });
    return [
      row(`${ROWS} rows by one worker`, large.seconds, "s"),
      row(
        `${ROWS} rows, most held by a server process`,
        large.serverMb,
        "MB",
        "≤ 600",
        large.serverMb <= 600,
      ),
      row(
        `${ROWS} rows, most held by a worker process`,
        large.workerMb,
        "MB",
        "≤ 600",
        large.workerMb <= 600,
      ),
      row(`${ROWS} rows, bytes as by the command line`, Number(same), "1 = the same", "1", same),
      row(`${ROWS} rows by the command line, most held`, own.mb, "MB"),
      {
        ...row(`${SHARED_ROWS} rows by two workers`, two.seconds, "s wall"),
        ...{ peer: one.seconds, bar: "≤ 1/1.5", ok: 1.5 * two.seconds <= one.seconds },
      },
      row("shards done again after a kill halfway", killed.again, "shards", "≤ 1", killed.again <= 1),
      row(
        "bytes after that kill as without",
        Number(killed.digest === two.digest),
        "1 = the same",
        "1",
        killed.digest === two.digest,
      ),
    ];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The loan applications over and over, with amounts of their own. */
function writeTable(path: string, rows: number): void {
  const { table, labels } = loans();
  const random = stream(1, "platform");
  const handle = openSync(path, "w");
  writeSync(handle, `${[...table.names, "granted"].join(",")}\n`);
  for (let from = 0; from < rows; from += 1000) {
    let text = "";
    for (let i = from; i < Math.min(rows, from + 1000); i++) {
      const cells = table.columns.map((column) => {
        const cell = column[i % table.rows] ?? "";
        return typeof cell === "number" && cell > 100 ? cell + random.int(100) : cell;
      });
      text += `${[...cells, labels[i % table.rows]].join(",")}\n`;
    }
    writeSync(handle, text);
  }
  closeSync(handle);
}

interface Asked {
  readonly table: string;
  readonly rows: number;
  readonly workers: number;
  readonly kill?: boolean;
}

const OPTIONS = { label: "granted", seed: 1, only: "plans" } as const;

async function study(
  postgres: Awaited<ReturnType<typeof startPostgres>>,
  { table, rows, workers, kill }: Asked,
) {
  const database = await postgres.database(`bench_${rows}_${workers}_${Number(kill ?? false)}_${Date.now()}`);
  const env = {
    ...process.env,
    DATABASE_URL: database,
    COLA_LIMIT_UPLOAD_BYTES: String(2 ** 30),
    COLA_LIMIT_REQUEST_BYTES: String(2 ** 31),
    COLA_LIMIT_ROWS: "5000000",
    COLA_LIMIT_ROWS_JOB: "5000000",
    COLA_LIMIT_TIME_NOW_MS: "600000",
    COLA_LIMIT_TIME_JOB_MS: "86400000",
  };
  const server = await startMember(["serve", "--port", "0", "--workers", "0"], env);
  const fleet: Member[] = [];
  for (let k = 0; k < workers; k++) fleet.push(await startMember(["worker", "--workers", "1"], env));
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const held = { server: 0, worker: 0 };
  const look = setInterval(() => {
    held.server = Math.max(held.server, peakOf([server.child.pid!]));
    held.worker = Math.max(held.worker, peakOf(fleet.map(({ child }) => child.pid!)));
  }, 250);
  try {
    const upload = await fetch(`${server.url}/v1/data?name=people.csv`, {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: readFileSync(table),
    });
    if (upload.status !== 201) throw new Error(await upload.text());
    const { id: data } = (await upload.json()) as { id: string };
    const began = performance.now();
    const sent = await fetch(`${server.url}/v1/jobs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: { id: data }, options: { ...OPTIONS, rows } }),
    });
    if (sent.status !== 202) throw new Error(await sent.text());
    const { id } = (await sent.json()) as { id: string };
    let again = 0;
    let hit = !kill;
    for (;;) {
      const job = (await (await fetch(`${server.url}/v1/jobs/${id}`)).json()) as {
        state: string;
        error: unknown;
        progress: { done: number; total: number } | null;
      };
      if (job.state === "done") break;
      if (job.state === "failed") throw new Error(JSON.stringify(job.error));
      const shards = await client.query("select attempt from cola.jobs where parent = $1", [id]);
      again = Math.max(
        again,
        shards.rows.reduce((sum, shard) => sum + Math.max(0, shard.attempt - 1), 0),
      );
      if (!hit && job.progress && job.progress.done > 0.5 * job.progress.total) {
        hit = true;
        await replace(fleet[0]!);
      }
      await sleep(100);
    }
    const seconds = (performance.now() - began) / 1000;
    const digest = await digestOf((await fetch(`${server.url}/v1/jobs/${id}/result`)).body!);
    return { seconds, digest, again, serverMb: held.server, workerMb: held.worker };
  } finally {
    clearInterval(look);
    await client.end();
    for (const member of [...fleet, server]) await stopMember(member);
  }
}

/** SHA-256 of what comes, but for a line break at its end, which the command line prints after one JSON text. */
async function digestOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  let held = Buffer.alloc(0);
  for await (const piece of pieces) {
    hash.update(held);
    held = Buffer.from(piece);
  }
  hash.update(held.at(-1) === 10 ? held.subarray(0, -1) : held);
  return hash.digest("hex");
}

/** The same by the command line. */
async function commandLine(
  folder: string,
  table: string,
  rows: number,
): Promise<{ digest: string; mb: number }> {
  const words = [
    ...["explain", "--data", table, "--label", OPTIONS.label, "--seed", String(OPTIONS.seed)],
    ...["--only", OPTIONS.only, "--rows", String(rows), "--workers", "1", "--max-rows", "5000000"],
    ...["--formats", "csv", "--out", join(folder, "out"), "--json"],
  ];
  const child = spawn(process.execPath, [...programOf(process.env), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let mb = 0;
  const look = setInterval(() => {
    mb = Math.max(mb, peakOf([child.pid!]));
  }, 250);
  const gone = once(child, "close");
  const digest = await digestOf(child.stdout);
  clearInterval(look);
  const [code] = (await gone) as [number];
  if (code > 1) throw new Error(`cola explain ended with ${code}`);
  return { digest, mb };
}

/** The most memory that any of these processes or one of their children has held, in MB. */
function peakOf(pids: readonly number[]): number {
  const wanted = new Set(pids);
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map<number, number>();
  for (const name of all) {
    const parent = /^PPid:\s*(\d+)/m.exec(statusOf(name))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  for (let grown = -1; grown !== wanted.size; ) {
    grown = wanted.size;
    for (const [pid, parent] of parents) if (wanted.has(parent)) wanted.add(pid);
  }
  const peaks = [...wanted].map((pid) => Number(/^VmHWM:\s*(\d+)/m.exec(statusOf(String(pid)))?.[1] ?? 0));
  return Math.round(Math.max(0, ...peaks) / 1024);
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

if (process.argv[1]?.endsWith("bench/platform.ts")) printTable(await benchPlatform());

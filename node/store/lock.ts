import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { ColaError } from "../../src/errors.ts";

/** A data folder that is this process's alone. */
export interface Lock {
  /** Throws STORE_LOCKED when another process has taken the folder meanwhile, as after a long standstill. */
  check(): void;
  /** Gives the folder back; a lock that is not ours any more is left alone. */
  release(): void;
}

/** How often a holder shows that it lives, and how long it may be silent. */
interface Beat {
  readonly beatMs: number;
  readonly staleMs: number;
}

const BEAT: Beat = { beatMs: 2000, staleMs: 15_000 };
/** A file untouched for so long has no living holder, whatever the clocks of two machines say. */
const LONG_AGO_MS = 300_000;
const LOOK_MS = 100;

/** What a lock file holds: `pid start place token`. */
interface Holder {
  readonly text: string;
  readonly pid: number;
  readonly start: string;
  readonly place: string;
}

/**
 * Takes a data folder for this process alone: two processes on one embedded database would destroy it. The holder
 * touches the lock as long as it lives. Where its process numbers are ours too, a killed one is told by its number
 * and start time and the lock is taken over at once; a holder in another container or on another machine is known by
 * its touches only, and has to be silent for a while.
 */
export async function lockFolder(folder: string, beat: Beat = BEAT): Promise<Lock> {
  const path = join(folder, "lock");
  const token = randomBytes(12).toString("hex");
  const mine = `${process.pid} ${startOf(process.pid) ?? "?"} ${placeOf()} ${token}`;
  for (let tries = 0; tries < 3; tries++) {
    if (create(path, mine, token)) return held(folder, path, mine, beat);
    const holder = parse(read(path) ?? "");
    if (await alive(path, holder, beat.staleMs)) throw locked(folder, holder);
    takeAway(path, holder, token);
  }
  throw new ColaError("STORE_LOCKED", `store: ${folder} is being opened by several processes; try again.`, {
    folder,
  });
}

function locked(folder: string, { pid, place }: Holder): ColaError {
  const here = place === placeOf() || place === "";
  const who = here
    ? `process ${pid}, as by a running \`cola serve\``
    : `process ${pid} of another container or machine, whose lock is still being touched`;
  const stop = here ? `Stop that one (kill ${pid})` : "Stop that one";
  return new ColaError(
    "STORE_LOCKED",
    `store: ${folder} is in use by ${who}; one process at a time can open it. ${stop} and try again, or name another folder with --store.`,
    { folder, pid },
  );
}

/** The lock of the folder, touched by a thread of its own: a busy process must not look dead. */
function held(folder: string, path: string, mine: string, { beatMs }: Beat): Lock {
  const toucher = new Worker(TOUCH, { eval: true, workerData: { path, mine, beatMs }, execArgv: [] });
  toucher.unref();
  toucher.on("error", () => {});
  let seen = Date.now();
  return {
    check() {
      if (Date.now() - seen < beatMs) return;
      if (read(path) !== mine) {
        throw new ColaError(
          "STORE_LOCKED",
          `store: another process has taken ${folder} while this one stood still; start this one again.`,
          { folder },
        );
      }
      seen = Date.now();
    },
    release() {
      void toucher.terminate();
      if (read(path) === mine) rmSync(path, { force: true });
    },
  };
}

const TOUCH = `
const { readFileSync, utimesSync } = require("node:fs");
const { path, mine, beatMs } = require("node:worker_threads").workerData;
setInterval(() => {
  try {
    if (readFileSync(path, "utf8") === mine) utimesSync(path, new Date(), new Date());
  } catch {}
}, beatMs);`;

/** The file appears with its content or not at all, where the file system knows hard links. */
function create(path: string, text: string, token: string): boolean {
  const draft = `${path}.${token}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    return createPlainly(path, text);
  } finally {
    rmSync(draft, { force: true });
  }
}

function createPlainly(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Moves a dead holder's lock aside. What was moved may be the lock of somebody quicker: that one is put back. */
function takeAway(path: string, holder: Holder, token: string): void {
  const aside = `${path}.${token}`;
  try {
    renameSync(path, aside);
    if (read(aside) !== holder.text) linkSync(aside, path);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function parse(text: string): Holder {
  const [pid = "", start = "?", place = ""] = text.split(" ");
  return { text, pid: Number(pid), start, place };
}

/** A process whose number means the same here is asked for; any other is watched. */
async function alive(path: string, holder: Holder, staleMs: number): Promise<boolean> {
  const known = Number.isInteger(holder.pid) && holder.pid > 0;
  const here = holder.place === "" || holder.place === placeOf();
  return known && here ? runs(holder) : beats(path, staleMs);
}

function runs({ pid, start }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
  }
  const now = startOf(pid);
  return start === "?" || now === undefined || now === start;
}

/** Is the file touched while we look? Two clocks are never compared, except for what is long ago. */
async function beats(path: string, staleMs: number): Promise<boolean> {
  const first = touchedAt(path);
  if (first === undefined || Date.now() - first > LONG_AGO_MS) return false;
  const until = performance.now() + staleMs;
  while (performance.now() < until) {
    await sleep(Math.min(LOOK_MS, staleMs));
    const now = touchedAt(path);
    if (now === undefined) return false;
    if (now !== first) return true;
  }
  return false;
}

function touchedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Where process numbers mean the same: one namespace of one boot of the kernel, or, outside Linux, one machine. */
function placeOf(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return encodeURIComponent(hostname());
  }
}

/** When a process was started, in the kernel's ticks; unknown outside Linux. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

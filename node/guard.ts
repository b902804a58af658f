import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Variables by which a process of ours knows who started it and how many mebibytes it may hold. */
export const PARENT = "COLA_PARENT";
export const MEMORY = "COLA_MEMORY_MB";

/** How often the guard looks. */
const LOOK_MS = 50;
/** Mebibytes a process needs beside the data it holds: young objects, code, buffers not yet collected. */
const BESIDE_MB = 128;

/** The data this process was started with. */
export function givenData<T>(): T {
  return JSON.parse(process.argv[2]!) as T;
}

/**
 * To be called first in a process made by `startChild`. It ends with the process that started it, even one that was
 * killed while this one is busy, and when it holds more than it may: V8's limit counts objects only, so a thread
 * watches the whole. Signals for the group, as by Ctrl-C, are left to the starter, who may want to finish.
 */
export function guardChild(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  if (!process.connected) process.exit();
  first();
  const mebibytes = Number(process.env[MEMORY] ?? Number.POSITIVE_INFINITY) + BESIDE_MB;
  const limit = process.memoryUsage.rss() + mebibytes * 2 ** 20;
  const workerData = { parent: Number(process.env[PARENT]), limit, every: LOOK_MS };
  new Worker(WATCH, { eval: true, workerData, execArgv: [], env: {} }).unref();
}

/** Where the system itself runs out of memory, it shall take this process and not its starter. */
function first(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not on this system.
  }
}

const WATCH = `
const { parent, limit, every } = require("node:worker_threads").workerData;
const { writeSync } = require("node:fs");
setInterval(() => {
  const full = process.memoryUsage.rss() > limit;
  if (full) writeSync(2, "out of memory");
  if (full || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, every);`;

import { spawn } from "node:child_process";
import { ColaError, ERRORS, type ErrorCode } from "../src/errors.ts";
import type { WorkOptions } from "../src/types.ts";
import { keep, type Maker, readKept } from "./store.ts";

/** One piece of work: done here, or by the same program in a process of its own. */
export interface Job {
  readonly name: string;
  /** Is the result on disk already? */
  done(): boolean;
  run(work: WorkOptions): Promise<void>;
  /** Words and options with which this program does just this job. */
  readonly argv: readonly string[];
}

/** A job whose result is one file on disk. */
export interface KeptJob<T> extends Job {
  /** Undefined until it is done. */
  result(): T | undefined;
}

export function keptJob<T>(
  { name, argv }: Pick<Job, "name" | "argv">,
  path: string,
  maker: Maker,
  make: (work: WorkOptions) => Promise<T>,
): KeptJob<T> {
  const result = (): T | undefined => readKept<T>(path, maker);
  return {
    name,
    argv,
    result,
    done: () => result() !== undefined,
    run: async (work) => keep(path, await make(work), maker),
  };
}

/** The results of all jobs, from disk where they are there. */
export async function resultsOf<T>(
  jobs: readonly KeptJob<T>[],
  { workers, tell }: { readonly workers: number; readonly tell: (line: string) => void },
  work: WorkOptions,
): Promise<T[]> {
  await runQueue(jobs, workers, work, tell);
  return jobs.map((job) => job.result()!);
}

/** What a process started by `runQueue` does. */
export async function asWorker(jobs: readonly Job[], work: WorkOptions): Promise<void> {
  endWithParent();
  for (const job of jobs) await job.run(work);
}

/**
 * Does the jobs that are not done, `workers` at a time. Each job's result is a file that depends on nothing but
 * the job, so neither the number of workers nor an interruption changes a byte. `tell` hears one line per job. When
 * one fails, the others are stopped.
 */
export async function runQueue(
  jobs: readonly Job[],
  workers: number,
  work: WorkOptions,
  tell: (line: string) => void,
): Promise<void> {
  const open = jobs.filter((job) => !job.done());
  if (open.length < jobs.length)
    tell(`${jobs.length - open.length} of ${jobs.length} scenarios were done before.`);
  const start = performance.now();
  let [next, finished] = [0, 0];
  const halt = new AbortController();
  const stop = (): void => halt.abort(work.signal?.reason);
  if (work.signal?.aborted) stop();
  work.signal?.addEventListener("abort", stop, { once: true });
  const held = { ...work, signal: halt.signal };
  const lane = async (): Promise<void> => {
    while (next < open.length) {
      stopIfAborted(held);
      const job = open[next++]!;
      const began = performance.now();
      if (workers === 1) await job.run(held);
      else await inProcess(job, held);
      finished++;
      const now = performance.now();
      const left = ((now - start) / finished) * (open.length - finished);
      tell(`${finished} of ${open.length}: ${job.name}, ${seconds(now - began)}; ${seconds(left)} to go.`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(workers, open.length) }, lane));
  } finally {
    stop();
    work.signal?.removeEventListener("abort", stop);
  }
}

export function stopIfAborted({ signal }: WorkOptions): void {
  if (signal?.aborted) throw new ColaError("ABORTED", "reproduce was stopped; what is finished is kept.");
}

function seconds(ms: number): string {
  const s = Math.round(ms / 1000);
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`;
}

function inProcess(job: Job, { signal }: WorkOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...job.argv], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let said = "";
    child.stderr!.on("data", (text: Buffer) => {
      said = `${said}${text}`.slice(-2000);
    });
    const stop = (): void => {
      child.kill();
    };
    signal?.addEventListener("abort", stop, { once: true });
    child.on("error", reject);
    child.on("close", (code, killer) => {
      signal?.removeEventListener("abort", stop);
      if (job.done()) resolve();
      else if (signal?.aborted)
        reject(new ColaError("ABORTED", "reproduce was stopped; what is finished is kept."));
      else reject(failureOf(job.name, code, killer, said.trim()));
    });
  });
}

/** Why a process ended without its result: in its own words and with its own code, where it had time to say it. */
export function failureOf(
  name: string,
  code: number | null,
  killer: NodeJS.Signals | null,
  said: string,
): ColaError {
  const [, message = "", own = ""] =
    said
      .split("\n")
      .at(-1)!
      .match(/^cola: (.*) \[([A-Z_]+)\]$/) ?? [];
  if (Object.hasOwn(ERRORS, own)) return new ColaError(own as ErrorCode, message);
  if (killer) {
    return new ColaError(
      "ABORTED",
      `reproduce: ${name}: its process was ended from outside by ${killer}, often because memory ran out; run the same command again, with fewer --workers if it happens again: what is finished is kept.`,
      { scenario: name, signal: killer },
    );
  }
  const why =
    code === 0
      ? "its result is that of another program: files of this one changed while it ran; start again."
      : `ended with code ${code}: ${said}`;
  return new ColaError("INTERNAL", `reproduce: ${name}: ${why}`);
}

/** A process started by `runQueue` ends when the one that started it does. */
function endWithParent(): void {
  process.once("disconnect", () => process.exit(130));
  process.channel?.unref();
}

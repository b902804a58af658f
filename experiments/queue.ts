import { spawn } from "node:child_process";
import { ColaError } from "../src/errors.ts";
import type { WorkOptions } from "../src/types.ts";

/** One piece of work: done here, or by the same program in a process of its own. */
export interface Job {
  readonly name: string;
  /** Is the result on disk already? */
  done(): boolean;
  run(work: WorkOptions): Promise<void>;
  /** Words and options with which this program does just this job. */
  readonly argv: readonly string[];
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
    child.on("close", (code) => {
      signal?.removeEventListener("abort", stop);
      if (job.done()) resolve();
      else if (signal?.aborted)
        reject(new ColaError("ABORTED", "reproduce was stopped; what is finished is kept."));
      else reject(new ColaError("INTERNAL", `reproduce: ${job.name}: ${whyNot(code, said.trim())}`));
    });
  });
}

function whyNot(code: number | null, said: string): string {
  if (code !== 0) return `ended with code ${code}: ${said}`;
  return "its result is that of another program: files of this one changed while it ran; start again.";
}

/** A process started by `runQueue` ends when the one that started it does. */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit(130));
  process.channel?.unref();
}

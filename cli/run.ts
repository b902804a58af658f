import { ColaError, isColaError, isLimit } from "../src/errors.ts";
import type { RowStatus, WorkOptions } from "../src/types.ts";
import type { Given } from "../study/options.ts";
import { progressBar } from "./progress.ts";

/** Exit codes: what a script can rely on. */
export const EXIT = { ok: 0, someRows: 1, badInput: 2, model: 3, budget: 4 } as const;

export function exitCodeOf(error: unknown): number {
  if (!isColaError(error)) throw error;
  // The clock that ran out while the model was thinking is that of the run where it says how long was left of it.
  if (error.code === "ABORTED" || "waitedMs" in error.details) return EXIT.budget;
  if (error.code.startsWith("PREDICT_")) return EXIT.model;
  return isLimit(error) ? EXIT.budget : EXIT.badInput;
}

/** 0 when every row is ok, 3 when the model failed on some, 4 when a limit ran out, else 1. */
export function exitCodeFor(statuses: ReadonlySet<RowStatus>): number {
  if (statuses.has("model_error")) return EXIT.model;
  if (statuses.has("budget")) return EXIT.budget;
  return [...statuses].every((status) => status === "ok") ? EXIT.ok : EXIT.someRows;
}

/** By which people and supervisors stop a command. */
const STOPS = ["SIGINT", "SIGTERM"] as const;

/** Longest wait a timer can be set for, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Progress, time limit and Ctrl-C (or SIGTERM) for one command. The first stops the work at its next pause; what is
 * done by then is kept where the command can keep it. A second one ends the program. --timeout is one deadline for the
 * whole command: whoever reads `limits` gets what is left of it by then.
 */
export async function withWork<T>(given: Given, run: (work: WorkOptions) => Promise<T>): Promise<T> {
  const began = performance.now();
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new ColaError("ABORTED", "stopped by Ctrl-C or SIGTERM"));
  };
  const bar = progressBar();
  for (const signal of STOPS) process.on(signal, interrupt);
  try {
    const work: WorkOptions = { signal: controller.signal, onProgress: bar.onProgress };
    const wholeMs = limitMs(given);
    if (wholeMs === undefined) return await run(work);
    return await run({
      ...work,
      get limits() {
        return { timeMs: Math.max(0, Math.floor(wholeMs - (performance.now() - began))) };
      },
    });
  } finally {
    bar.stop();
    for (const signal of STOPS) process.off(signal, interrupt);
  }
}

/** The milliseconds of --timeout, where it is given. */
function limitMs({ timeout }: Given): number | undefined {
  return timeout === undefined ? undefined : Math.min(LONGEST_MS, timeout * 1000);
}

/** LIMIT_TIME when nothing is left of --timeout after a stage that does not look at the clock itself. */
export function checkTime({ limits }: WorkOptions, stage: string): void {
  if (limits?.timeMs !== 0) return;
  throw new ColaError("LIMIT_TIME", `${stage} took all of --timeout; raise it or give fewer rows.`, {
    stage,
  });
}

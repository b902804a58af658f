import { ColaError, isColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import type { WorkOptions } from "../src/types.ts";
import type { Given } from "./options.ts";
import { progressBar } from "./progress.ts";

/** Exit codes: what a script can rely on. */
export const EXIT = { ok: 0, someRows: 1, badInput: 2, model: 3, budget: 4 } as const;

export function exitCodeOf(error: unknown): number {
  if (!isColaError(error)) throw error;
  if (error.code.startsWith("PREDICT_")) return EXIT.model;
  return error.code.startsWith("LIMIT_") || error.code === "ABORTED" ? EXIT.budget : EXIT.badInput;
}

/** 0 when every row is ok, 3 when the model failed on some, 4 when a limit ran out, else 1. */
export function exitCodeFor({ rows }: Explanation): number {
  if (rows.every((row) => row.status === "ok")) return EXIT.ok;
  if (rows.some((row) => row.status === "model_error")) return EXIT.model;
  return rows.some((row) => row.status === "budget") ? EXIT.budget : EXIT.someRows;
}

/**
 * Progress, time limit and Ctrl-C for one command. The first Ctrl-C stops the work at its next pause; what is
 * done by then is kept where the command can keep it. A second one ends the program.
 */
export async function withWork<T>(given: Given, run: (work: WorkOptions) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new ColaError("ABORTED", "stopped by Ctrl-C"));
  };
  const bar = progressBar();
  process.on("SIGINT", interrupt);
  try {
    const limits = given.timeout === undefined ? {} : { limits: { timeMs: given.timeout * 1000 } };
    return await run({ signal: controller.signal, onProgress: bar.onProgress, ...limits });
  } finally {
    bar.stop();
    process.off("SIGINT", interrupt);
  }
}

import { openBackend } from "./backend.ts";
import { DEFAULT_LIMITS, type ServerConfig } from "./config.ts";

/** Works off jobs without answering requests. */
export interface StartedWorker {
  /** Waits a little for running jobs, then gives them back to the line. */
  stop(): Promise<void>;
}

export async function startWorker(config: ServerConfig): Promise<StartedWorker> {
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  const log = (fields: object): void =>
    config.log?.write(`${JSON.stringify({ time: Date.now(), pid: process.pid, ...fields })}\n`);
  return openBackend(config, limits, {
    report: (error) => log({ level: "error", name: (error as Error)?.name, msg: "runner" }),
    ended: (state) => log({ level: "info", state, msg: "job" }),
  });
}

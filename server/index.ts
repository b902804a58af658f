import { createApp as openApp } from "./app.ts";
import type { ServerConfig } from "./config.ts";
import type { App } from "./contract.ts";

export { type ApiKey, DEFAULT_LIMITS, parseKeys, type ServerConfig, type ServerLimits } from "./config.ts";
export type { Answer, App, InjectedRequest, InjectedRequest as Ask } from "./contract.ts";
export { listen } from "./listen.ts";
export { HTTP_PROBLEMS, type HttpProblem, type Problem } from "./problem.ts";
export { type Replay, replay } from "./run/replay.ts";
export { settingsFrom } from "./settings.ts";
export { type StartedWorker, startWorker } from "./start-worker.ts";

/** The whole server behind one object: `inject` asks it without a socket, `listen` opens one, `close` stops it. */
export function createApp(config: ServerConfig): Promise<App> {
  return openApp(config);
}

export { createApp } from "./app.ts";
export { type ApiKey, DEFAULT_LIMITS, parseKeys, type ServerConfig, type ServerLimits } from "./config.ts";
export { listen } from "./listen.ts";
export { HTTP_PROBLEMS, type HttpProblem, type Problem } from "./problem.ts";
export { type Replay, replay } from "./run/replay.ts";

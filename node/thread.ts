import { Worker, type WorkerOptions } from "node:worker_threads";
import { silenceTelemetry } from "./model/telemetry.ts";

/**
 * A thread over the module `name` beside the module at `from`: built as name.js, from source as name.ts through
 * tsx.
 */
export function startThread(from: string, name: string, options: WorkerOptions): Worker {
  silenceTelemetry();
  if (!from.endsWith(".ts")) return new Worker(new URL(`${name}.js`, from), options);
  const url = JSON.stringify(new URL(`${name}.ts`, from).href);
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${url}); });`;
  return new Worker(start, { ...options, eval: true, execArgv: [] });
}

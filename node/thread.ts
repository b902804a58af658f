import { Worker } from "node:worker_threads";

/** A thread over the module `name` beside the module at `from`: built as .js, from source as .ts, which tsx must be asked to read in each thread. */
export function startThread(from: string, name: string, workerData?: unknown): Worker {
  const source = from.endsWith(".ts");
  const file = new URL(`${name}.${source ? "ts" : "js"}`, from);
  if (!source) return new Worker(file, { workerData });
  const start = `import(${JSON.stringify(import.meta.resolve("tsx/esm/api"))})
    .then(({ register }) => { register(); return import(${JSON.stringify(file.href)}); });`;
  return new Worker(start, { eval: true, workerData });
}

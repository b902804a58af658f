/** The worker of the served page, a file of its own. The one-file page starts it from a blob instead. */
export function startWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}

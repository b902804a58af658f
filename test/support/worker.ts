import { type Child, type Start, startChild } from "../../node/child.ts";

/** A process that does what the type of its order says: `worker-process.ts`. */
export function startWorker(start: Omit<Start, "data">): Child {
  return startChild(import.meta.url, "./worker-process", { data: null, ...start });
}

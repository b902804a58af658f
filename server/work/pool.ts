import type { Child } from "../../node/child.ts";
import { isColaError } from "../../src/errors.ts";
import type { Order } from "./messages.ts";
import { type Watch, Worker } from "./worker.ts";

/** Processes that compute, one order at a time each; as many as there are orders, which the callers bound. */
export interface Pool {
  run<T>(order: Order, watch: Watch): Promise<T>;
  close(): Promise<void>;
}

/**
 * `start` makes a process. The one used last is used first: its tables and models are warm. One that crashed, ran
 * out of memory or had to be ended is replaced. Work that ran out of memory in a process that had worked before is
 * tried once more in a fresh one, for what came before may have held the memory.
 */
export function createPool(start: () => Child, startMs?: number): Pool {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const open = (): Worker => {
    const worker = new Worker(start(), startMs);
    all.add(worker);
    void worker.child.ended.then(() => {
      all.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    });
    return worker;
  };
  const perform = async (worker: Worker, order: Order, watch: Watch): Promise<unknown> => {
    try {
      return await worker.perform(order, watch);
    } finally {
      if (!worker.gone) idle.push(worker);
    }
  };
  return {
    async run<T>(order: Order, watch: Watch): Promise<T> {
      const worker = idle.pop() ?? open();
      const fresh = !worker.used;
      try {
        return (await perform(worker, order, watch)) as T;
      } catch (error) {
        const again = worker.gone && !fresh && isColaError(error) && error.code === "LIMIT_BYTES";
        if (!again || watch.signal?.aborted) throw error;
        return (await perform(open(), order, watch)) as T;
      }
    },
    async close() {
      await Promise.all([...all].map(({ child }) => child.kill()));
    },
  };
}

import type { Worker } from "node:worker_threads";
import { isColaError } from "../../src/errors.ts";
import { Hand, type Watch } from "./hand.ts";
import type { Order } from "./messages.ts";

/** Threads that compute, one order at a time each; as many as there are orders, which the callers bound. */
export interface Threads {
  run<T>(order: Order, watch: Watch): Promise<T>;
  /** Waits until a thread is free that has started. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

/**
 * `start` makes a thread. The one used last is used first: its tables and models are warm. One that crashed, ran
 * out of memory or had to be ended is replaced. Work that ran out of memory in a thread that had worked before is
 * tried once more in a fresh one, for what came before may have held the memory.
 */
export function createThreads(start: () => Worker): Threads {
  const idle: Hand[] = [];
  const all = new Set<Hand>();
  const open = (): Hand => {
    const hand = new Hand(start());
    all.add(hand);
    hand.worker.once("exit", () => {
      all.delete(hand);
      if (idle.includes(hand)) idle.splice(idle.indexOf(hand), 1);
    });
    return hand;
  };
  const perform = async (hand: Hand, order: Order, watch: Watch): Promise<unknown> => {
    try {
      return await hand.perform(order, watch);
    } finally {
      if (!hand.gone) idle.push(hand);
    }
  };
  return {
    async run<T>(order: Order, watch: Watch): Promise<T> {
      const hand = idle.pop() ?? open();
      const fresh = !hand.used;
      try {
        return (await perform(hand, order, watch)) as T;
      } catch (error) {
        const again = hand.gone && !fresh && isColaError(error) && error.code === "LIMIT_BYTES";
        if (!again || watch.signal?.aborted) throw error;
        return (await perform(open(), order, watch)) as T;
      }
    },
    async warm() {
      const hand = idle.pop() ?? open();
      await hand.ready;
      if (!hand.gone) idle.push(hand);
    },
    async close() {
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}

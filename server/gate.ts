import { HttpError } from "./problem.ts";

/** Lets a few in at a time and a few wait; the others are sent away at once. */
export interface Gate {
  enter<T>(owner: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Sends away who waits or still comes; who is inside ends in peace. */
  close(): void;
  readonly running: number;
  readonly waiting: number;
}

/** The share of what there is that one owner may have: the rest is for others. */
export const SHARE = 0.75;

/** Owners take turns, however many of one wait; and one owner alone has no more than its share of the line. */
export function createGate(most: number, line: number, share = SHARE): Gate {
  const queues = new Map<string, (() => void)[]>();
  let [running, waiting] = [0, 0];
  let closed = false;
  /** The place goes to the next of the owner who has waited longest for a turn, or becomes free. */
  const leave = (): void => {
    const [owner, queue] = queues.entries().next().value ?? [];
    if (owner === undefined || !queue) {
      running--;
      return;
    }
    queues.delete(owner);
    const next = queue.shift()!;
    if (queue.length > 0) queues.set(owner, queue);
    waiting--;
    next();
  };
  const wait = (owner: string): Promise<void> => {
    const queue = queues.get(owner) ?? [];
    if (waiting >= line || queue.length >= Math.max(1, Math.ceil(line * share)))
      throw new HttpError("BUSY", "Too much work is waiting; try again soon.", 2);
    queues.set(owner, queue);
    waiting++;
    return new Promise((resolve) => queue.push(resolve));
  };
  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    close() {
      closed = true;
    },
    async enter(owner, run, signal) {
      if (running < most) running++;
      else await wait(owner);
      try {
        if (closed) throw new HttpError("BUSY", "The server is stopping; try again soon.", 5);
        if (signal?.aborted) throw new HttpError("BUSY", "The caller went away.");
        return await run();
      } finally {
        leave();
      }
    },
  };
}

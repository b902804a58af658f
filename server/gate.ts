import { HttpError } from "./problem.ts";

/** Lets a few in at a time and a few wait; the others are sent away at once. */
export interface Gate {
  enter<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Sends away who waits or still comes; who is inside ends in peace. */
  close(): void;
  readonly running: number;
  readonly waiting: number;
}

export function createGate(most: number, line: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  let closed = false;
  /** The place goes to the next in line, or becomes free. */
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else running--;
  };
  return {
    get running() {
      return running;
    },
    get waiting() {
      return queue.length;
    },
    close() {
      closed = true;
    },
    async enter(run, signal) {
      if (running < most) running++;
      else if (queue.length < line) await new Promise<void>((resolve) => queue.push(resolve));
      else throw new HttpError("BUSY", "Too much work is waiting; try again soon.", 2);
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

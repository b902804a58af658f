import { HttpError } from "./problem.ts";

/** Lets a few in at a time and a few wait; the others are sent away at once. */
export interface Gate {
  enter<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

export function createGate(most: number, line: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    running--;
    queue.shift()?.();
  };
  return {
    get running() {
      return running;
    },
    get waiting() {
      return queue.length;
    },
    async enter(run, signal) {
      if (running >= most) {
        if (queue.length >= line) throw new HttpError("BUSY", "Too much work is waiting; try again soon.", 2);
        await new Promise<void>((resolve) => queue.push(resolve));
      }
      running++;
      try {
        if (signal?.aborted) throw new HttpError("BUSY", "The caller went away.");
        return await run();
      } finally {
        leave();
      }
    },
  };
}

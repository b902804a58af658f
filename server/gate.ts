import { HttpError } from "./problem.ts";

/** Lets a few in at a time and a few wait; the others are sent away at once. */
export interface Gate {
  enter<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  readonly running: number;
  readonly waiting: number;
}

/** Longest time new callers are let in before a piece of work begins. */
const DOOR_MS = 250;

/**
 * The event loop accepts one connection per turn. Before a piece of work begins, turns are given away until
 * nobody new came: health checks and refusals are then never behind the line of work.
 */
async function letIn(arrivals: () => number): Promise<void> {
  const end = performance.now() + DOOR_MS;
  for (let seen = -1; seen !== arrivals() && performance.now() < end; ) {
    seen = arrivals();
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }
}

/** `arrivals` counts requests that came so far. */
export function createGate(most: number, line: number, arrivals: () => number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
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
    async enter(run, signal) {
      if (running < most) running++;
      else if (queue.length < line) await new Promise<void>((resolve) => queue.push(resolve));
      else throw new HttpError("BUSY", "Too much work is waiting; try again soon.", 2);
      try {
        await letIn(arrivals);
        if (signal?.aborted) throw new HttpError("BUSY", "The caller went away.");
        return await run();
      } finally {
        leave();
      }
    },
  };
}

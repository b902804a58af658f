import { HttpError } from "./problem.ts";

/** Lets a few in at a time and a few wait; the others are sent away at once. */
export interface Gate {
  enter<T>(owner: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Turns away requests that wait or still arrive; those being answered are finished. */
  close(): void;
  readonly running: number;
  readonly waiting: number;
}

/** The share of what there is that one owner may have: the rest is for others. */
export const SHARE = 0.75;

/**
 * Owners take turns, however many of one wait; one alone has no more than its share of the line, and of several places
 * for work all but one, so that another's work begins at once however long this one's takes.
 */
export function createGate(most: number, line: number, share = SHARE): Gate {
  const queues = new Map<string, (() => void)[]>();
  const inside = new Map<string, number>();
  const places = share < 1 ? Math.max(1, most - 1) : most;
  let [running, waiting] = [0, 0];
  let closed = false;
  const insideOf = (owner: string): number => inside.get(owner) ?? 0;
  const take = (owner: string): void => {
    running++;
    inside.set(owner, insideOf(owner) + 1);
  };
  /** The place goes to the owner who has waited longest and may have it, or becomes free. */
  const leave = (owner: string): void => {
    running--;
    if (insideOf(owner) > 1) inside.set(owner, insideOf(owner) - 1);
    else inside.delete(owner);
    const [next, queue] = [...queues].find(([waits]) => insideOf(waits) < places) ?? [];
    if (next === undefined || !queue) return;
    queues.delete(next);
    const begin = queue.shift()!;
    if (queue.length > 0) queues.set(next, queue);
    waiting--;
    take(next);
    begin();
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
      if (running < most && insideOf(owner) < places) take(owner);
      else await wait(owner);
      try {
        if (closed) throw new HttpError("BUSY", "The server is stopping; try again soon.", 5);
        if (signal?.aborted) throw new HttpError("BUSY", "The caller went away.");
        return await run();
      } finally {
        leave(owner);
      }
    },
  };
}

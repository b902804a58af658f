import { sweep, sweepOrphans } from "../node/retention.ts";
import type { Store } from "../node/store/store.ts";

const EVERY_MS = 3_600_000;

/**
 * Removes files that nothing refers to, and forgets what is older than `days` where a number of days was given; now
 * and every hour. Returns the stop.
 */
export function startSweeps(
  store: Store,
  days: number | undefined,
  report: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve();
  const go = (): void => {
    running = running
      .then(async () => {
        if (days !== undefined) await sweep(store, days);
        await sweepOrphans(store);
      })
      .catch(report);
  };
  go();
  const timer = setInterval(go, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

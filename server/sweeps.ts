import { sweep } from "../node/retention.ts";
import type { Store } from "../node/store/store.ts";

const EVERY_MS = 3_600_000;

/** Forgets what is older than `days`, now and every hour; never, without a number of days. Returns the stop. */
export function startSweeps(
  store: Store,
  days: number | undefined,
  report: (error: unknown) => void,
): () => Promise<void> {
  if (days === undefined) return async () => {};
  let running = Promise.resolve();
  const go = (): void => {
    running = running.then(() => sweep(store, days)).then(() => {}, report);
  };
  go();
  const timer = setInterval(go, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

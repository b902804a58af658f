import { afterEach, expect, test, vi } from "vitest";
import type { Job } from "../../node/store/jobs.ts";
import { createEvents } from "../../server/jobs/events.ts";
import { type RunnerParts, startRunner } from "../../server/jobs/runner.ts";

afterEach(() => vi.useRealTimers());

test("work whose lease cannot be renewed stops when the lease is over, also where the database never answers", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const job = { id: "j", owner: "ada", recipe: "{}", plan: null, parent: null, attempt: 1, crashes: 0 };
  const waiting = [job as Job];
  let reason: unknown;
  const query = (text: string): Promise<unknown> =>
    text.includes("skip locked") ? Promise.resolve(waiting.splice(0)) : new Promise(() => {});
  const begin: RunnerParts["workers"]["begin"] = (_, { signal }) =>
    new Promise((_done, fail) => {
      const stop = (): void => fail(signal!.reason);
      (signal as AbortSignal).addEventListener("abort", stop, { once: true });
    });
  const runner = startRunner({
    ...{ store: { db: { query }, folder: "" }, workers: { begin }, events: createEvents() },
    ...{ space: { low: () => false }, limits: { jobs: 1, attempts: 5, graceMs: 0 } },
    report: (error: unknown) => {
      reason = error;
    },
  } as unknown as RunnerParts);
  await vi.waitFor(() => expect(runner.running).toBe(1));
  await vi.advanceTimersByTimeAsync(9000);
  expect(runner.running).toBe(1);
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect(runner.running).toBe(0));
  expect(reason).toBeUndefined();
  await runner.stop();
});

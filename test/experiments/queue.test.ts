import { expect, test } from "vitest";
import { type Job, runQueue } from "../../experiments/queue.ts";
import { ColaError } from "../../src/errors.ts";

const job = (name: string, run: Job["run"]): Job => ({ name, done: () => false, run, argv: [] });

test("a job that fails stops the queue with its own reason, and what runs hears of it", async () => {
  const ran: string[] = [];
  let heard: AbortSignal | undefined;
  const jobs = [
    job("good", async ({ signal }) => {
      ran.push("good");
      heard = signal;
    }),
    job("bad", async () => {
      throw new ColaError("FILE_UNWRITABLE", "no room");
    }),
    job("late", async () => {
      ran.push("late");
    }),
  ];
  const said: string[] = [];
  const queue = runQueue(jobs, 1, {}, (line) => said.push(line));
  await expect(queue).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
  expect(ran).toEqual(["good"]);
  expect(heard?.aborted).toBe(true);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^1 of 3: good, \d+ s; \d+ s to go\.$/);
});

test("a caller's signal ends the queue before its next job", async () => {
  const controller = new AbortController();
  const jobs = [job("one", async () => controller.abort()), job("two", async () => {})];
  const done = runQueue(jobs, 1, { signal: controller.signal }, () => {});
  await expect(done).rejects.toMatchObject({ code: "ABORTED" });
});

import { expect, test } from "vitest";
import { failureOf, type Job, runQueue } from "../../experiments/queue.ts";
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

test("a process that failed is heard in its own words; one that was killed names the signal and what to do", () => {
  const said = "1 of 2: a\ncola: data/x.csv: this is not the published one [TABLE_INVALID]";
  expect(failureOf("a", 2, null, said)).toMatchObject({
    code: "TABLE_INVALID",
    message: "data/x.csv: this is not the published one",
  });
  const killed = failureOf("a", null, "SIGKILL", "");
  expect(killed.code).toBe("ABORTED");
  expect(killed.message).toMatch(/a: .* by SIGKILL, .* fewer --workers/);
  expect(failureOf("a", 1, null, "no [SUCH] code")).toMatchObject({ code: "INTERNAL" });
  expect(failureOf("a", 0, null, "").message).toContain("start again");
});

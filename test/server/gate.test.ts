import { expect, test } from "vitest";
import { createGate } from "../../server/gate.ts";

/** Work that ends when it is told to. */
function task(): { run: () => Promise<string>; end: () => void; begun: () => boolean } {
  let [begun, end] = [false, () => {}];
  const done = new Promise<string>((resolve) => {
    end = () => resolve("done");
  });
  const run = (): Promise<string> => {
    begun = true;
    return done;
  };
  return { run, end: () => end(), begun: () => begun };
}

test("so many run, so many wait in order, the others are sent away; failures free their place", async () => {
  const gate = createGate(1, 1);
  const [a, b] = [task(), task()];
  const first = gate.enter(a.run);
  const second = gate.enter(b.run);
  await expect(gate.enter(task().run)).rejects.toMatchObject({ code: "BUSY", retryAfter: 2 });
  expect([gate.running, gate.waiting, b.begun()]).toEqual([1, 1, false]);
  a.end();
  expect(await first).toBe("done");
  expect(b.begun()).toBe(true);
  b.end();
  expect(await second).toBe("done");
  await expect(gate.enter(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect([gate.running, gate.waiting]).toEqual([0, 0]);
});

test("a closed gate lets who is inside end, and sends away who waits or comes", async () => {
  const gate = createGate(1, 2);
  const [a, b] = [task(), task()];
  const first = gate.enter(a.run);
  const second = gate.enter(b.run).catch((error: unknown) => error);
  gate.close();
  a.end();
  expect(await first).toBe("done");
  expect(await second).toMatchObject({ code: "BUSY", retryAfter: 5 });
  expect(b.begun()).toBe(false);
  await expect(gate.enter(task().run)).rejects.toMatchObject({ code: "BUSY" });
  expect(gate.running).toBe(0);
});

test("a caller who hung up while waiting is not worked for", async () => {
  const gate = createGate(1, 1);
  const [a, b] = [task(), task()];
  const controller = new AbortController();
  const first = gate.enter(a.run);
  const second = gate.enter(b.run, controller.signal).catch((error: unknown) => error);
  controller.abort();
  a.end();
  await first;
  expect(await second).toMatchObject({ code: "BUSY" });
  expect(b.begun()).toBe(false);
});

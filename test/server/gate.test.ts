import { expect, test } from "vitest";
import { createGate } from "../../server/gate.ts";
import { gateOfTheFirst } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";

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
  const first = gate.enter("ada", a.run);
  const second = gate.enter("ada", b.run);
  await expect(gate.enter("ada", task().run)).rejects.toMatchObject({ code: "BUSY", retryAfter: 2 });
  expect([gate.running, gate.waiting, b.begun()]).toEqual([1, 1, false]);
  a.end();
  expect(await first).toBe("done");
  expect(b.begun()).toBe(true);
  b.end();
  expect(await second).toBe("done");
  await expect(gate.enter("ada", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect([gate.running, gate.waiting]).toEqual([0, 0]);
});

test("a closed gate lets who is inside end, and sends away who waits or comes", async () => {
  const gate = createGate(1, 2);
  const [a, b] = [task(), task()];
  const first = gate.enter("ada", a.run);
  const second = gate.enter("ada", b.run).catch((error: unknown) => error);
  gate.close();
  a.end();
  expect(await first).toBe("done");
  expect(await second).toMatchObject({ code: "BUSY", retryAfter: 5 });
  expect(b.begun()).toBe(false);
  await expect(gate.enter("ada", task().run)).rejects.toMatchObject({ code: "BUSY" });
  expect(gate.running).toBe(0);
});

test("a caller who hung up while waiting is not worked for", async () => {
  const gate = createGate(1, 1);
  const [a, b] = [task(), task()];
  const controller = new AbortController();
  const first = gate.enter("ada", a.run);
  const second = gate.enter("ada", b.run, controller.signal).catch((error: unknown) => error);
  controller.abort();
  a.end();
  await first;
  expect(await second).toMatchObject({ code: "BUSY" });
  expect(b.begun()).toBe(false);
});

test("the share of one owner: three quarters of the line by default, and all of it where there are no others", async () => {
  const waitingOf = async (gate: ReturnType<typeof createGate>): Promise<number> => {
    const first = task();
    const inside = gate.enter("many", first.run);
    const many = Array.from({ length: 20 }, () => gate.enter("many", async () => {}).catch(() => {}));
    const { waiting } = gate;
    first.end();
    await Promise.all([inside, ...many]);
    return waiting;
  };
  expect(await waitingOf(createGate(1, 8))).toBe(6);
  expect(await waitingOf(createGate(1, 8, 1))).toBe(8);
});

test("owners take turns however many of one wait, and one alone never fills the line", async () => {
  const fair = async (create: typeof createGate): Promise<void> => {
    const gate = create(1, 8);
    const order: string[] = [];
    const first = task();
    const enter = (owner: string): Promise<unknown> =>
      gate.enter(owner, async () => order.push(owner)).catch(() => "sent away");
    const inside = gate.enter("many", first.run);
    const many = Array.from({ length: 20 }, () => enter("many"));
    const few = [enter("few"), enter("few")];
    first.end();
    await Promise.all([inside, ...many, ...few]);
    expect(await Promise.all(few)).not.toContain("sent away");
    expect(order.slice(0, 4)).toEqual(["many", "few", "many", "few"]);
  };
  await fair(createGate);
  await refuses(() => fair(gateOfTheFirst));
});

test("one owner alone leaves a place to others however long its work takes, and has them all where there are none", async () => {
  const leavesOne = async (create: typeof createGate): Promise<void> => {
    const gate = create(3, 40);
    const [many, few] = [Array.from({ length: 9 }, task), [task(), task()]];
    const begun = (tasks: readonly ReturnType<typeof task>[]): number =>
      tasks.filter((one) => one.begun()).length;
    const inside = many.map(({ run }) => gate.enter("many", run));
    expect(begun(many)).toBe(2);
    inside.push(...few.map(({ run }) => gate.enter("few", run)));
    expect([begun(many), begun(few)]).toEqual([2, 1]);
    // A place that becomes free is the next one's whose owner may have it, and never lies idle beyond the one that is left.
    few[0]!.end();
    await inside[9];
    expect([begun(many), begun(few)]).toEqual([2, 2]);
    few[1]!.end();
    await inside[10];
    many[0]!.end();
    await inside[0];
    expect([gate.running, begun(many)]).toEqual([2, 3]);
    for (const { end } of many) end();
    await Promise.all(inside);
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
  };
  await leavesOne(createGate);
  await refuses(() => leavesOne(gateOfTheFirst));
  await refuses(() => leavesOne((most, line) => createGate(most, line, 1)));
  const alone = Array.from({ length: 3 }, task);
  const gate = createGate(2, 8, 1);
  const inside = alone.map(({ run }) => gate.enter("local", run));
  expect(alone.map((one) => one.begun())).toEqual([true, true, false]);
  for (const { end } of alone) end();
  await Promise.all(inside);
});

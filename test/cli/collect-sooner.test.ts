import { execFileSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { collectSooner } from "../../cli/collect-sooner.ts";
import { sweepMemory } from "../../node/sweep-memory.ts";

vi.mock("node:v8", async (original) => {
  const own = await original<typeof import("node:v8")>();
  return { ...own, setFlagsFromString: vi.fn(own.setFlagsFromString) };
});

/** Mebibytes that V8 takes at most while 100 are held and 1,000 are thrown away, one after the other. */
function most(flags: string): number {
  const script = `
    ${flags && `require("node:v8").setFlagsFromString("${flags}");`}
    const held = Array.from({ length: 100 }, () => new Array(131072).fill(0.5));
    let most = 0;
    for (let i = 0; i < 1000; i++) {
      held[i % 3] = new Array(131072).fill(i + 0.5);
      most = Math.max(most, process.memoryUsage().heapTotal);
    }
    console.log(most / 2 ** 20);`;
  return Number(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }));
}

test("garbage of long tables is looked for before it is as much as what is in use", () => {
  collectSooner();
  sweepMemory(10_000_000);
  const flags = vi
    .mocked(setFlagsFromString)
    .mock.calls.map(([flag]) => flag)
    .join(" ");
  expect(most(flags)).toBeLessThan(0.8 * most(""));
});

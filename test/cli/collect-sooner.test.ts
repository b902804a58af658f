import { execFileSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { collectSooner } from "../../cli/collect-sooner.ts";

vi.mock("node:v8", async (original) => ({ ...(await original<object>()), setFlagsFromString: vi.fn() }));

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

test("garbage is looked for before it is as much as what is in use", () => {
  collectSooner();
  const flags = vi.mocked(setFlagsFromString).mock.calls[0]![0];
  expect(most(flags)).toBeLessThan(0.8 * most(""));
});

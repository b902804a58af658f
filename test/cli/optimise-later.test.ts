import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { afterEach, expect, test, vi } from "vitest";
import { optimiseLater } from "../../cli/optimise-later.ts";

vi.mock("node:v8", async (original) => ({ ...(await original<object>()), setFlagsFromString: vi.fn() }));

afterEach(() => void vi.useRealTimers());

test("at the start little is optimised, afterwards what V8 optimises by itself", (context) => {
  if (!process.versions.v8.startsWith("11.")) return context.skip("this V8 has no such flag");
  vi.useFakeTimers();
  optimiseLater();
  expect(setFlagsFromString).toHaveBeenCalledExactlyOnceWith("--interrupt-budget=1000000");
  vi.runAllTimers();
  const { stdout } = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  const usual = /default: (--interrupt-budget=\d+)/.exec(stdout)?.[1];
  expect(setFlagsFromString).toHaveBeenLastCalledWith(usual);
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { vi } from "vitest";
import { allowKernels } from "../../src/num/wasm.ts";
import { BUILT } from "./command.ts";

// The same cases in every plain run, so that a law and its mutants give the same verdict everywhere; the soak draws anew.
if (!process.env["COLA_SOAK"]) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20261115 });

// COLA_PLAIN=1: as on machines without WebAssembly: none of our kernels here, where the tools of the tests need it, and none
// at all in processes, threads and pages (`browser.ts`).
if (process.env["COLA_PLAIN"]) {
  allowKernels(false);
  process.env["NODE_OPTIONS"] = `--require ${join(import.meta.dirname, "plain.cjs")}`;
}

/** Beside which file a process or thread is: the bundle of this run, where it is among those. */
const startedFrom = (from: string, name: string): string => {
  const bundle = join(BUILT ?? "", `${name}.js`);
  return BUILT && existsSync(bundle) ? pathToFileURL(bundle).href : from;
};

vi.mock("../../node/child.ts", async (original) => {
  const { startChild } = await original<typeof import("../../node/child.ts")>();
  return { startChild: (from, name, start) => startChild(startedFrom(from, name), name, start) } satisfies {
    startChild: typeof startChild;
  };
});
vi.mock("../../node/thread.ts", async (original) => {
  const { startThread } = await original<typeof import("../../node/thread.ts")>();
  return { startThread: (from, name, data) => startThread(startedFrom(from, name), name, data) } satisfies {
    startThread: typeof startThread;
  };
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** What a process took, all its threads together. */
export interface Taken {
  /** Milliseconds. */
  readonly cpu: number;
  readonly wall: number;
  /** Mebibytes at most. */
  readonly memory: number;
}

/**
 * Mebibytes this process held at most: what the kernel tells of its own memory where there is such a file, for `maxRSS` of
 * a process on Linux begins with that of the one which started it.
 */
export function peakMemory(): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))![1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

/** Says at its end how much CPU and memory a process took. */
const METER = `data:text/javascript,${encodeURIComponent(
  `import { readFileSync, writeSync } from "node:fs"; ${peakMemory}; process.on("exit", () => writeSync(3, JSON.stringify([process.cpuUsage(), peakMemory()])));`,
)}`;

/** Runs Node with these words in a process of its own. */
export async function measured(words: readonly string[]): Promise<Taken> {
  const began = performance.now();
  const child = spawn(process.execPath, ["--import", METER, ...words], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stdio[3]!.on("data", (data) => {
    text += String(data);
  });
  const [code] = (await once(child, "close")) as [number];
  if (code > 1) throw new Error(`node ${words.join(" ")} ended with ${code}`);
  const [{ user, system }, memory] = JSON.parse(text) as [NodeJS.CpuUsage, number];
  return { cpu: (user + system) / 1000, wall: performance.now() - began, memory };
}

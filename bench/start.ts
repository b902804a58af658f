import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, COMMAND_LINE } from "../scripts/bundle.ts";
import { measured } from "./process.ts";
import { type BenchRow, median, printTable } from "./table.ts";

const RUNS = 7;

/** What a person waits for before the first row: the command on the embedded case, and `npm start`, beside Node alone. */
export async function benchStart(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  try {
    await bundle(folder, COMMAND_LINE);
    const main = join(folder, "main.js");
    const out = ["--out", join(folder, "out")];
    spawnSync("npm", ["start", "--", ...out], { stdio: "ignore" }); // what is kept for the next starts
    const cases = [
      { name: "node -e 0", words: ["-e", "0"] },
      { name: "cola --version", words: [main, "--version"] },
      { name: "cola explain, no report", words: [main, "explain", "--formats", "csv", ...out], most: 400 },
      { name: "cola explain with its report", words: [main, "explain", ...out], most: 800 },
      { name: "npm start", words: ["scripts/start.mjs", "explain", ...out], most: 1500 },
    ];
    const times = cases.map((): number[] => []);
    for (let run = 0; run < RUNS; run++)
      for (const [at, { words }] of cases.entries()) times[at]!.push((await measured(words)).cpu);
    return cases.map(({ name, most }, at): BenchRow => {
      const ours = median(times[at]!);
      return {
        ...{ name: `start: ${name}`, ours, peer: median(times[0]!), unit: "ms CPU" },
        ...(most === undefined ? {} : { bar: `≤ ${most}`, ok: ours <= most }),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1]?.endsWith("bench/start.ts")) printTable(await benchStart());

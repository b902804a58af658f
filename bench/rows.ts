import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchRow, printTable } from "./table.ts";

const DATA = process.env["COLA_DATA"] ?? "../shared/data";
const FEW = 500;
const MANY = 2000;

/**
 * `cola explain` on the hotel table with a model file and values of references, as a person runs it: what a row costs once
 * all is loaded, with few rows and with four times as many, and the wall clock of one thread against two.
 */
export async function benchRows(): Promise<BenchRow[]> {
  if (!existsSync(join(DATA, "hotel_bookings.csv"))) {
    console.log(`skipped: ${DATA} does not hold the hotel table`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  try {
    const model = join(folder, "model.json");
    const set = ["--dataset", "hotel", "--data-dir", DATA];
    await measured(["train", ...set, "--model", "xgboost", "--model-out", model]);
    const run = (rows: number, workers: number) =>
      measured([
        ...["explain", ...set, "--model", model, "--values", "reference", "--rows", String(rows)],
        ...["--out", join(folder, "out"), "--formats", "csv", "--workers", String(workers)],
      ]);
    const [loaded, few, many, two] = [
      await run(1, 1),
      await run(FEW, 1),
      await run(MANY, 1),
      await run(MANY, 2),
    ];
    const [each, eachOfMany] = [(few.cpu - loaded.cpu) / FEW, (many.cpu - loaded.cpu) / MANY];
    return [
      {
        name: `hotel, a row of ${FEW} after loading`,
        ours: each,
        unit: "ms CPU",
        bar: "goal ≤ 1",
        ok: each <= 1,
      },
      {
        name: `hotel, a row of ${MANY} against a row of ${FEW}`,
        ours: eachOfMany,
        peer: each,
        unit: "ms CPU",
        bar: "≤ 1.05 ×",
        ok: eachOfMany <= 1.05 * each,
      },
      {
        name: `hotel, ${MANY} rows, two threads against one, after loading`,
        ours: two.wall - loaded.wall,
        peer: many.wall - loaded.wall,
        unit: "ms wall",
        bar: "≤ 1/1.8",
        ok: 1.8 * (two.wall - loaded.wall) <= many.wall - loaded.wall,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Says at its end how much CPU a process took, all its threads together. */
const METER = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.cpuUsage())));',
)}`;

/** Runs a command in a process of its own. */
async function measured(words: readonly string[]): Promise<{ cpu: number; wall: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, ["--import", "tsx", "--import", METER, "cli/main.ts", ...words], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stdio[3]!.on("data", (data) => {
    text += String(data);
  });
  const [code] = (await once(child, "close")) as [number];
  if (code > 1) throw new Error(`cola ${words.join(" ")} ended with ${code}`);
  const { user, system } = JSON.parse(text) as NodeJS.CpuUsage;
  return { cpu: (user + system) / 1000, wall: performance.now() - began };
}

if (process.argv[1]?.endsWith("bench/rows.ts")) printTable(await benchRows());

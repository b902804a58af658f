import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, COMMAND_LINE } from "../scripts/bundle.ts";
import { BEFORE, commandBefore } from "./commit.ts";
import { measured, type Taken } from "./process.ts";
import { type BenchRow, printTable } from "./table.ts";

const DATA = process.env["COLA_DATA"] ?? "../shared/data";
const WHOLE = 10_000;

/** A run of the command over so many rows. */
interface Run extends Taken {
  readonly rows: number;
}

/**
 * `cola explain` on the hotel table with a model file, as a person runs it: what a row costs once all is loaded, with few
 * rows and with many, on one thread and on two, in CPU, wall clock and memory, with values of references and with any,
 * and beside an earlier commit. `npx tsx bench/rows.ts 200` measures fewer rows.
 */
export async function benchRows(rows = WHOLE): Promise<BenchRow[]> {
  if (!existsSync(join(DATA, "hotel_bookings.csv"))) {
    console.log(`skipped: ${DATA} does not hold the hotel table (COLA_DATA names another folder)`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  try {
    await bundle(folder, COMMAND_LINE);
    const main = join(folder, "main.js");
    const model = join(folder, "model.json");
    const set = ["--dataset", "hotel", "--data-dir", DATA];
    await measured([main, "train", ...set, "--model", "xgboost", "--model-out", model]);
    const explained = async (count: number, command: string, more: readonly string[]): Promise<Run> => {
      const words = ["explain", ...set, "--model", model, "--rows", String(count), "--formats", "csv"];
      return { rows: count, ...(await measured([command, ...words, "--out", join(folder, "out"), ...more])) };
    };
    const run = (count: number, workers: number, values: "reference" | "least"): Promise<Run> =>
      explained(count, main, ["--values", values, "--workers", String(workers)]);
    const before = await commandBefore(join(folder, "before"));
    const options = before?.had({ values: "reference", workers: "1" }) ?? [];
    const past = (count: number): Promise<Run> | undefined =>
      before && explained(count, before.main, options);
    const loaded = await run(1, 1, "reference");
    const pastLoaded = await past(1);
    const few = await run(Math.ceil(rows / 20), 1, "reference");
    const many = await run(rows, 1, "reference");
    const pastMany = await past(rows);
    const two = await run(rows, 2, "reference");
    const least = await run(Math.ceil(rows / 40), 1, "least");
    return [
      ...costs(loaded, few, many),
      ...(before && pastLoaded && pastMany
        ? [beside(each(loaded, many), each(pastLoaded, pastMany), rows, options)]
        : []),
      ...onTwo(loaded, many, two),
      ofAny(loaded, least),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU milliseconds of a row once all is loaded. */
const each = (loaded: Run, run: Run): number => (run.cpu - loaded.cpu) / run.rows;

function costs(loaded: Run, few: Run, many: Run): BenchRow[] {
  const [ofFew, ofMany] = [each(loaded, few), each(loaded, many)];
  return [
    { name: "hotel, loading and one row", ours: loaded.cpu, unit: "ms CPU" },
    {
      ...{ name: `hotel, a row of ${many.rows} after loading`, ours: ofMany, unit: "ms CPU" },
      ...{ bar: "goal ≤ 1", ok: ofMany <= 1 },
    },
    {
      ...{ name: `hotel, a row of ${many.rows} against a row of ${few.rows}`, ours: ofMany, peer: ofFew },
      ...{ unit: "ms CPU", bar: "≤ 1.05 ×", ok: ofMany <= 1.05 * ofFew },
    },
    {
      ...{ name: `hotel, ${many.rows} rows, loading included`, ours: many.cpu, unit: "ms CPU" },
      ...(many.rows === WHOLE ? { bar: "≤ 15,000", ok: many.cpu <= 15_000 } : {}),
    },
    {
      ...{ name: `hotel, ${many.rows} rows on one thread`, ours: many.memory, unit: "MiB peak" },
      ...{ bar: "≤ 600", ok: many.memory <= 600 },
    },
  ];
}

/** Without --values, plans of that commit were of references, and nothing compared them with the rows of the table. */
function beside(ours: number, peer: number, rows: number, options: readonly string[]): BenchRow {
  const words = options.includes("--values") ? "" : ", without --values";
  return {
    ...{ name: `hotel, a row of ${rows} after loading, beside commit ${BEFORE}${words}`, ours, peer },
    ...{ unit: "ms CPU", bar: "≤ 1/4", ok: 4 * ours <= peer },
  };
}

function onTwo(loaded: Run, many: Run, two: Run): BenchRow[] {
  const [alone, both] = [many.wall - loaded.wall, two.wall - loaded.wall];
  return [
    {
      ...{
        name: `hotel, ${many.rows} rows, two threads against one, after loading`,
        ours: both,
        peer: alone,
      },
      ...{ unit: "ms wall", bar: "≤ 1/1.8", ok: 1.8 * both <= alone },
    },
    {
      ...{
        name: `hotel, ${many.rows} rows on two threads, loading included`,
        ours: two.wall,
        unit: "ms wall",
      },
      ...(many.rows === WHOLE ? { bar: "≤ 9,000", ok: two.wall <= 9000 } : {}),
    },
    {
      ...{ name: `hotel, ${many.rows} rows on two threads`, ours: two.memory, unit: "MiB peak" },
      ...{ bar: "≤ 600", ok: two.memory <= 600 },
    },
  ];
}

const ofAny = (loaded: Run, least: Run): BenchRow => ({
  name: `hotel, a row of ${least.rows} with any permitted values`,
  ours: each(loaded, least),
  unit: "ms CPU",
});

if (process.argv[1]?.endsWith("bench/rows.ts")) printTable(await benchRows(Number(process.argv[2] ?? WHOLE)));

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, COMMAND_LINE } from "../scripts/bundle.ts";
import { stream } from "../src/num/random.ts";
import { measured, type Taken } from "./process.ts";
import { type BenchRow, printTable } from "./table.ts";

/** Rows of the long table and of the one that models and references are from; rows explained. */
const [LONG, SHORT, FEW, MANY] = [1_000_000, 20_000, 10_000, 100_000];
const [NUMBERS, LEVELS, ANSWERS] = [10, 6, 4];
const GIGABYTE = 1e9 / 2 ** 20;

type Cola = (...words: string[]) => Promise<Taken>;

/** Bundles the command line and hands over what runs it, with tables and a model in a folder that goes afterwards. */
async function withCommand<T>(work: (cola: Cola, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  try {
    await bundle(folder, COMMAND_LINE);
    const cola: Cola = (...words) => measured([join(folder, "main.js"), ...words]);
    writeTable(join(folder, "short.csv"), SHORT, "short", () => true);
    const short = ["--data", join(folder, "short.csv"), "--label", "granted"];
    await cola("train", ...short, "--model", "xgboost", "--model-out", join(folder, "model.json"));
    return await work(cola, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Words of a run over so many rows of a table in the folder. */
const explained = (folder: string, table: string, rows: number): string[] => [
  ...["explain", "--data", join(folder, table), "--label", "granted", "--values", "reference"],
  ...["--model", join(folder, "model.json"), "--target", "yes", "--rows", String(rows)],
  ...["--workers", "1", "--formats", "csv", "--out", join(folder, "out")],
];

/**
 * A table of a million rows and 20 columns of which a hundred thousand rows are explained: CPU and memory, and whether
 * ten times as many rows cost ten times as much. `npx tsx bench/long.ts 0.01` has a hundredth of the rows.
 */
export function benchLong(scale = 1): Promise<BenchRow[]> {
  return withCommand(async (cola, folder) => {
    const rows = Math.round(scale * LONG);
    writeTable(join(folder, "long.csv"), rows, "long", () => true);
    const run = (count: number): Promise<Taken> => cola(...explained(folder, "long.csv", count));
    const [few, many] = [Math.round(scale * FEW), Math.round(scale * MANY)];
    const [loaded, some, all] = [await run(1), await run(few), await run(many)];
    const cost = (taken: Taken): number => taken.cpu - loaded.cpu;
    const name = `${rows} × ${NUMBERS + LEVELS + ANSWERS}`;
    return [
      { name: `${name}, loading and one row`, ours: loaded.cpu, unit: "ms CPU" },
      {
        ...{ name: `${name}, ${many} rows against ${few}, after loading`, ours: cost(all), peer: cost(some) },
        ...{ unit: "ms CPU", bar: "≤ 10.5 ×", ok: cost(all) <= 10.5 * cost(some) },
      },
      {
        ...{ name: `${name}, ${many} rows, loading included`, ours: all.cpu, unit: "ms CPU" },
        ...(scale === 1 ? { bar: "≤ 250,000", ok: all.cpu <= 250_000 } : {}),
      },
      inMemory(`${name}, ${many} rows`, all),
    ];
  });
}

/** A million refused people explained beside the short table: it ends, within a gigabyte, and a row costs what it did. */
export function benchMillion(scale = 1): Promise<BenchRow[]> {
  return withCommand(async (cola, folder) => {
    const [few, many] = [Math.round(scale * MANY), Math.round(scale * LONG)];
    const run = async (count: number): Promise<Taken> => {
      writeTable(join(folder, "people.csv"), count, "people", (score) => score < -1.5);
      const references = ["--references", join(folder, "short.csv")];
      return cola(...explained(folder, "people.csv", count), ...references);
    };
    const [some, all] = [await run(few), await run(many)];
    return [
      {
        ...{ name: `a row of ${many} explained, against one of ${few}`, ours: all.cpu / many },
        ...{
          peer: some.cpu / few,
          unit: "ms CPU",
          bar: "≤ 1.05 ×",
          ok: all.cpu / many <= (1.05 * some.cpu) / few,
        },
      },
      inMemory(`${many} rows explained`, all),
    ];
  });
}

const inMemory = (name: string, { memory }: Taken): BenchRow => ({
  ...{ name: `${name} on one thread`, ours: memory, unit: "MiB peak" },
  ...{ bar: `≤ ${GIGABYTE.toFixed(0)}`, ok: memory <= GIGABYTE },
});

/** Numbers with few and with many values, levels and answers; a curved score decides who is granted. Only `kept` rows are written. */
function writeTable(path: string, rows: number, seed: string, kept: (score: number) => boolean): void {
  const random = stream(22, "bench long", seed);
  const handle = openSync(path, "w");
  const names = (letter: string, count: number): string[] =>
    Array.from({ length: count }, (_, k) => `${letter}${k}`);
  const head = [...names("number", NUMBERS), ...names("level", LEVELS), ...names("answer", ANSWERS)];
  let text = `${[...head, "granted"].join(",")}\n`;
  for (let i = 0; i < rows; ) {
    const numbers = names("", NUMBERS).map((_, k) =>
      k % 2 ? Math.round(100 * random.normal()) / 100 : Math.round(15 * random.normal() + 50),
    );
    const levels = names("", LEVELS).map((_, k) => random.int(3 + k));
    const answers = names("", ANSWERS).map(() => random.int(2));
    const score =
      numbers.reduce((sum, v, k) => sum + (k % 2 ? -0.5 * v : (v - 50) / 25), 0) +
      levels.reduce((sum, level) => sum + 0.3 * Number(level === 1), -0.9) +
      answers.reduce((sum, answer) => sum + 0.3 * answer, -0.6) +
      Math.sin(numbers[0]! / 10);
    if (!kept(score)) continue;
    const granted = score + 0.5 * random.normal() > 0 ? "yes" : "no";
    const cells = [
      ...numbers,
      ...levels.map((level) => "abcdefgh"[level]),
      ...answers.map((a) => (a ? "y" : "n")),
    ];
    text += `${[...cells, granted].join(",")}\n`;
    i++;
    if (i % 1000 > 0 && i < rows) continue;
    writeSync(handle, text);
    text = "";
  }
  closeSync(handle);
}

if (process.argv[1]?.endsWith("bench/long.ts")) {
  const scale = Number(process.argv[2] ?? 1);
  printTable([...(await benchLong(scale)), ...(await benchMillion(scale))]);
}

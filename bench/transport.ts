import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { squaredEuclidean } from "../src/couple/cost.ts";
import { transportByKernel } from "../src/couple/point-reader.ts";
import { transport } from "../src/couple/transport.ts";
import { matrix } from "../src/num/matrix.ts";
import { type Random, stream } from "../src/num/random.ts";
import type { Coupling, Matrix } from "../src/types.ts";
import { type Pot, startPot } from "./pot.ts";
import { peakMemory } from "./process.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const SEED = 20;
const RUNS = 5;
const ROWS = 2000;
const LARGE_ROWS = 5000;
/** Agreement with the peer's value that makes a time worth comparing. */
const SAME_VALUE = 1e-9;
/** Argument under which this file measures one large problem in a process of its own. */
const LARGE = "--large";

interface Instance {
  readonly name: string;
  readonly x: Matrix;
  readonly r: Matrix;
  /** Our time may be the peer's divided by this. */
  readonly faster?: number;
}

/** Exact transport against POT's emd: ours with costs and certificate, theirs without the costs; CPU medians. */
export async function benchTransport(): Promise<BenchRow[]> {
  transportByKernel();
  const peer = await startPot();
  const rows: BenchRow[] = [];
  for (const instance of instances()) rows.push(await compare(instance, peer));
  const name = `gaussian ${LARGE_ROWS}², d = 20`;
  const instance = { name, ...both(stream(SEED, "bench", "large"), LARGE_ROWS, gaussian), faster: 20 };
  rows.push(await compare(instance, peer, 1));
  peer?.stop();
  return [...rows, ...large()];
}

/** Runs both in turn, so that a busy machine is busy for both. */
async function compare(
  { name, x, r, faster }: Instance,
  peer: Pot | undefined,
  runs = RUNS,
): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  let same = true;
  for (let run = 0; run < runs; run++) {
    let plan: Coupling | undefined;
    ours.push(
      await cpuMs(async () => {
        plan = await transport(squaredEuclidean(x, r));
      }),
    );
    if (peer === undefined) continue;
    const found = await peer.emd(x, r);
    theirs.push(found.ms);
    same &&= Math.abs(found.value - plan!.cost) <= SAME_VALUE * (1 + Math.abs(found.value));
  }
  const row = { name: `transport ${name}`, ours: median(ours), unit: "ms CPU" };
  const limit = faster === undefined ? {} : { bar: `≤ ${(1 / faster).toPrecision(2)} × POT emd` };
  if (peer === undefined) return { ...row, ...limit };
  const ok = same && (faster ?? 0) * median(ours) <= median(theirs);
  return { ...row, ...limit, peer: median(theirs), ...(faster === undefined && same ? {} : { ok }) };
}

function instances(): Instance[] {
  const source = stream(SEED, "bench", "transport");
  return [
    { name: `gaussian ${ROWS}², d = 20`, ...both(source.split("gaussian"), ROWS, gaussian), faster: 8 },
    { name: `mixed ${ROWS}², d = 9`, ...both(source.split("mixed"), ROWS, mixed), faster: 8 },
    {
      name: `ties (15 binary columns) ${ROWS}²`,
      ...both(source.split("binary"), ROWS, binary),
      faster: 1 / 1.5,
    },
    {
      name: `ties (15 one-hot columns) ${ROWS}²`,
      ...both(source.split("onehot"), ROWS, oneHot),
      faster: 1 / 1.5,
    },
    { name: `clusters ${ROWS}², d = 10`, ...both(source.split("clusters"), ROWS, clusters), faster: 3 },
    { name: `gaussian ${ROWS} × 1500, d = 20`, ...both(source.split("rectangle"), ROWS, gaussian, 1500) },
  ];
}

/** A row of either side; `shift` is 0 for the factuals and 1 for the references. */
type Row = (source: Random, shift: number) => number[];

function both(source: Random, n: number, row: Row, m = n): { x: Matrix; r: Matrix } {
  const table = (rows: number, shift: number): Matrix => {
    const cells = Array.from({ length: rows }, () => row(source, shift));
    return matrix(rows, cells[0]!.length, Float64Array.from(cells.flat()));
  };
  return { x: table(n, 0), r: table(m, 1) };
}

const gaussian: Row = (source, shift) => Array.from({ length: 20 }, () => source.normal() + shift / 2);

/** Six categorical columns, coded and scaled, the references leaning to the first levels; three numeric ones. */
const mixed: Row = (source, shift) => [
  ...[2, 3, 4, 5, 3, 2].map((levels) => 0.8 * Math.floor(source.next() ** (1 + shift / 2) * levels)),
  ...Array.from({ length: 3 }, () => source.normal() + shift / 3),
];

const binary: Row = (source, shift) =>
  Array.from({ length: 15 }, (_, k) => Number(source.next() < 0.2 + 0.03 * k + shift / 10));

const oneHot: Row = (source, shift) =>
  [2, 3, 2, 3, 5].flatMap((levels) => {
    const level = Math.floor(source.next() ** (1 + shift) * levels);
    return Array.from({ length: levels }, (_, k) => Number(k === level));
  });

const clusters: Row = (source, shift) => {
  const centre = stream(SEED, "centre", Math.floor(source.next() ** (1 + shift / 2) * 20));
  return Array.from({ length: 10 }, () => 3 * centre.normal() + 0.3 * source.normal());
};

/** Rows, references and bars of large problems: milliseconds, where there is a bar, and mebibytes. */
const LARGE_PROBLEMS = [
  [100_000, 100, 2_500, 600],
  [20_000, 20_000, 20_000, 150],
  [50_000, 50_000, undefined, 400],
] as const;

/** Time and peak memory of large problems, each in a process of its own. */
function large(): BenchRow[] {
  const self = fileURLToPath(import.meta.url);
  return LARGE_PROBLEMS.flatMap(([n, m, time, memory]) => {
    const words = [...process.execArgv, self, LARGE, String(n), String(m)];
    const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
    const { ms, mebibytes, gap } = JSON.parse(stdout) as { ms: number; mebibytes: number; gap: number };
    const name = `transport gaussian ${n} × ${m}, d = 20, gap ${gap.toExponential(1)}`;
    return [
      { name, ours: ms, unit: "ms CPU", ...(time && { bar: `≤ ${time} ms`, ok: ms <= time }) },
      { name, ours: mebibytes, unit: "MiB peak", bar: `≤ ${memory} MiB`, ok: mebibytes <= memory },
    ];
  });
}

async function measureLarge(n: number, m: number): Promise<void> {
  transportByKernel();
  const { x, r } = both(stream(SEED, "bench", "large"), n, gaussian, m);
  let gap = Number.NaN;
  const ms = await cpuMs(async () => {
    ({ gap } = await transport(squaredEuclidean(x, r)));
  });
  process.stdout.write(JSON.stringify({ ms, gap, mebibytes: peakMemory() }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf(LARGE);
  if (at > 0) await measureLarge(Number(process.argv[at + 1]), Number(process.argv[at + 2]));
  else printTable(await benchTransport());
}

/** One measured figure, beside its peer's (measured in the same run) and the bar it is held against. */
export interface BenchRow {
  readonly name: string;
  readonly ours: number;
  readonly unit: string;
  /** The same figure of the peer, where it is installed. */
  readonly peer?: number;
  /** The bar in words, e.g. `≤ 1.0 × POT`. */
  readonly bar?: string;
  /** Whether the bar is met; absent where it cannot be judged. */
  readonly ok?: boolean;
}

const HEADER = ["what", "ours", "peer", "ours / peer", "unit", "bar", ""] as const;

/** Prints the rows as an aligned table, then as one line of JSON. */
export function printTable(rows: readonly BenchRow[]): void {
  const cells = [HEADER, ...rows.map(cellsOf)];
  const widths = HEADER.map((_, c) => Math.max(...cells.map((row) => row[c]!.length)));
  for (const row of cells) {
    const line = row.map((cell, c) =>
      c === 0 || c >= 4 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!),
    );
    console.log(line.join("  ").trimEnd());
  }
  console.log(JSON.stringify(rows));
}

function cellsOf(row: BenchRow): string[] {
  const ratio = row.peer === undefined ? "–" : `${figure(row.ours / row.peer)}×`;
  const verdict = row.ok === undefined ? "" : row.ok ? "ok" : "MISSED";
  return [
    row.name,
    figure(row.ours),
    row.peer === undefined ? "–" : figure(row.peer),
    ratio,
    row.unit,
    row.bar ?? "",
    verdict,
  ];
}

function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** CPU milliseconds (user + system) `work` takes in this process. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1000;
}

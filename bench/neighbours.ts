import { startWork } from "../src/budget.ts";
import { matrix, rowOf } from "../src/num/matrix.ts";
import { type Neighbours, neighbours } from "../src/num/neighbours.ts";
import { stream } from "../src/num/random.ts";
import { allowKernels } from "../src/num/wasm.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const [ROWS, COLS, KINDS, QUERIES, COUNT, RUNS] = [77_000, 29, 500, 200, 16, 5];

/** Exact nearest neighbours of mixed rows by the kernel, beside its plain twin in the same run. */
export async function benchNeighbours(): Promise<BenchRow[]> {
  const random = stream(1, "bench neighbours");
  const mismatch = Uint8Array.from({ length: COLS }, (_, k) => Number(k % 2 === 0));
  const cell = (k: number): number => (mismatch[k] ? random.int(3 + k) : random.normal() / 2);
  // Rows of a table are alike: each is one of some hundred others with a quarter of its cells drawn anew.
  const data = new Float64Array(ROWS * COLS);
  for (let c = 0; c < data.length; c++) {
    const [i, k] = [Math.floor(c / COLS), c % COLS];
    data[c] = i < KINDS || random.next() < 0.25 ? cell(k) : data[(i % KINDS) * COLS + k]!;
  }
  const points = matrix(ROWS, COLS, data);
  const index = (kernel: boolean): Promise<Neighbours> => {
    allowKernels(kernel);
    return neighbours(points, startWork("bench"), mismatch);
  };
  const ask = ({ nearest }: Neighbours): string =>
    Array.from({ length: QUERIES }, (_, q) => nearest(rowOf(points, 311 * q), COUNT).index.join()).join();
  const [plain, kernel] = [await index(false), await index(true)];
  const same = ask(plain) === ask(kernel);
  const [ours, twin]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    twin.push((await cpuMs(() => ask(plain))) / QUERIES);
    ours.push((await cpuMs(() => ask(kernel))) / QUERIES);
  }
  const [mine, other] = [median(ours), median(twin)];
  return [
    {
      name: `${COUNT} nearest of ${ROWS} × ${COLS}, kernel beside its plain twin, ${same ? "identical" : "NOT identical"}`,
      ours: mine,
      peer: other,
      unit: "ms/query CPU",
      bar: "≤ 1/4 × the twin",
      ok: same && 4 * mine <= other,
    },
  ];
}

if (process.argv[1]?.endsWith("neighbours.ts")) printTable(await benchNeighbours());

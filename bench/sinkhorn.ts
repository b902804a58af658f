import { squaredEuclidean } from "../src/couple/cost.ts";
import { sinkhorn } from "../src/couple/sinkhorn.ts";
import { matrix } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import type { Cost, Coupling, Matrix } from "../src/types.ts";
import { type BenchRow, cpuMs, median } from "./table.ts";

const ROWS = 1000;
const COLS = 20;
const RUNS = 5;
const BAR_MS = 1200;
const TOLERANCE = 1e-9;

/** Entropic transport of 1000 gaussian rows to 1000, ε a share of the mean cost, to a marginal error of 1e-9. */
export async function benchSinkhorn(): Promise<BenchRow[]> {
  const cost = squaredEuclidean(gaussian("x"), gaussian("r"));
  const mean = meanOf(cost);
  const rows: BenchRow[] = [];
  for (const share of [0.05, 0.01]) {
    const times: number[] = [];
    let plan: Coupling | undefined;
    for (let run = 0; run < RUNS; run++) {
      times.push(
        await cpuMs(async () => {
          plan = await sinkhorn(cost, { epsilon: share * mean, tolerance: TOLERANCE });
        }),
      );
    }
    const ours = median(times);
    const good = plan!.converged && marginalError(plan!) <= TOLERANCE;
    rows.push({
      name: `sinkhorn n = m = ${ROWS}, ε = ${share} · mean cost (${plan!.iterations} passes)`,
      ours,
      unit: "ms",
      bar: `≤ ${BAR_MS} ms, error ≤ ${TOLERANCE}`,
      ok: ours <= BAR_MS && good,
    });
  }
  return rows;
}

function gaussian(name: string): Matrix {
  const source = stream(1, "bench", "sinkhorn", name);
  return matrix(
    ROWS,
    COLS,
    Float64Array.from({ length: ROWS * COLS }, () => source.normal()),
  );
}

function meanOf(cost: Cost): number {
  const { data } = cost.dense();
  return data.reduce((sum, c) => sum + c, 0) / data.length;
}

function marginalError(plan: Coupling): number {
  const sums = new Float64Array(plan.m);
  plan.cols.forEach((j, e) => {
    sums[j]! += plan.mass[e]!;
  });
  return sums.reduce((error, sum) => error + Math.abs(sum - 1 / plan.m), 0);
}

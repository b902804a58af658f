import { execFileSync } from "node:child_process";
import { matrix } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { fitGp } from "../src/train/gp.ts";
import type { Matrix } from "../src/types.ts";
import { type BenchRow, cpuMs, median } from "./table.ts";

const ROWS = 700;
const COLS = 9;
const REPEATS = 5;

/** The same task for both sides: seeded normal rows, a curved and noisy border. */
function task(): { x: Matrix; y: number[] } {
  const random = stream(1, "bench", "gp");
  const x = matrix(
    ROWS,
    COLS,
    Float64Array.from({ length: ROWS * COLS }, () => random.normal()),
  );
  const y = Array.from({ length: ROWS }, (_, i) => {
    const u = x.data[i * COLS]! + 0.5 * x.data[i * COLS + 1]! ** 2 + random.normal();
    return Number(u > 0.5);
  });
  return { x, y };
}

/** Fits, then scores `rows`; prints the median CPU milliseconds of each. */
const PEER = `
import json, sys, time, statistics, warnings
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
warnings.filterwarnings("ignore")
task = json.load(sys.stdin)
x, y = np.array(task["x"]).reshape(-1, task["cols"]), np.array(task["y"])
def cpu(work):
    start = time.process_time(); work(); return 1000 * (time.process_time() - start)
def fit(): return GaussianProcessClassifier().fit(x, y)
model = fit()
optimised = GaussianProcessClassifier(1.0 * RBF(1.0))
print(json.dumps({
    "fit": statistics.median(cpu(fit) for _ in range(task["repeats"])),
    "predict": statistics.median(cpu(lambda: model.predict_proba(x)) for _ in range(task["repeats"])),
    "optimise": cpu(lambda: optimised.fit(x, y)),
}))
`;

interface Times {
  readonly fit: number;
  readonly predict: number;
  readonly optimise: number;
}

/** scikit-learn on one thread, where Debian's python3-sklearn is installed. */
function peerTimes(x: Matrix, y: readonly number[]): Times | undefined {
  try {
    const text = execFileSync("/usr/bin/python3", ["-c", PEER], {
      input: JSON.stringify({ x: Array.from(x.data), cols: x.cols, y, repeats: REPEATS }),
      env: { ...process.env, OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1" },
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    });
    return JSON.parse(text) as Times;
  } catch {
    return undefined;
  }
}

async function medianOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let t = 0; t < REPEATS; t++) times.push(await cpuMs(work));
  return median(times);
}

/** Gaussian process on 700 rows, against scikit-learn on one thread. */
export async function benchSmoothModels(): Promise<BenchRow[]> {
  const { x, y } = task();
  const model = fitGp(x, y);
  const ours: Times = {
    fit: await medianOf(() => fitGp(x, y)),
    predict: await medianOf(() => model.predict(x)),
    optimise: await cpuMs(() => fitGp(x, y, { optimise: true })),
  };
  const peer = peerTimes(x, y);
  const row = (what: string, key: keyof Times): BenchRow => {
    const shared = {
      name: `gp ${ROWS} × ${COLS}: ${what}`,
      ours: ours[key],
      unit: "ms CPU",
      bar: "≤ 8 × sklearn",
    };
    return peer ? { ...shared, peer: peer[key], ok: ours[key] <= 8 * peer[key] } : shared;
  };
  return [
    row("fit", "fit"),
    row("score the rows", "predict"),
    row("fit with the kernel optimised", "optimise"),
  ];
}

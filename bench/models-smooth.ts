import { softplus } from "../src/model/loss.ts";
import type { SmoothModel } from "../src/model/row-model.ts";
import { stream } from "../src/num/random.ts";
import { fitGp } from "../src/train/gp.ts";
import { fitLogistic } from "../src/train/logistic.ts";
import type { LinearStructure, Matrix } from "../src/types.ts";
import { normalRows } from "./drawn.ts";
import { type Peer, startPeer } from "./peer.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const ROWS = 700;
const COLS = 9;
const REPEATS = 5;

/** The same task for both sides: seeded normal rows, a curved and noisy border. */
function task(): { x: Matrix; y: number[] } {
  const random = stream(1, "bench", "gp");
  const x = normalRows(random, ROWS, COLS);
  const y = Array.from({ length: ROWS }, (_, i) => {
    const u = x.data[i * COLS]! + 0.5 * x.data[i * COLS + 1]! ** 2 + random.normal();
    return Number(u > 0.5);
  });
  return { x, y };
}

/** A task per line: the median CPU milliseconds of what it names. */
const SERVE = `
import sys, json, time, statistics, warnings
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
warnings.filterwarnings("ignore")
def cpu(work):
    start = time.process_time(); work(); return 1000 * (time.process_time() - start)
for line in sys.stdin:
    task = json.loads(line)
    x, y = np.fromfile(task["x"]).reshape(-1, task["cols"]), np.fromfile(task["y"]).astype(int)
    def times(work): return statistics.median(cpu(work) for _ in range(task["repeats"]))
    if task["what"] == "logistic":
        model = LogisticRegression(tol=1e-8, max_iter=1000)
        ms = times(lambda: model.fit(x, y))
        margin = (2 * y - 1) * (x @ model.coef_[0] + model.intercept_[0])
        loss = float((model.coef_ ** 2).sum() / 2 + np.logaddexp(0, -margin).sum())
        print(json.dumps({"ms": ms, "loss": loss}), flush=True)
        continue
    def fit(): return GaussianProcessClassifier().fit(x, y)
    model = fit()
    optimised = GaussianProcessClassifier(1.0 * RBF(1.0))
    print(json.dumps({
        "fit": times(fit),
        "predict": times(lambda: model.predict_proba(x)),
        "optimise": cpu(lambda: optimised.fit(x, y)),
    }), flush=True)
`;

interface Times {
  readonly fit: number;
  readonly predict: number;
  readonly optimise: number;
}

interface Task {
  readonly what: "gp" | "logistic";
  readonly x: string;
  readonly y: string;
  readonly cols: number;
  readonly repeats: number;
}

type Learner = Peer<Task, Times & { readonly ms: number; readonly loss: number }>;

function given(peer: Learner, what: Task["what"], x: Matrix, y: readonly number[]): Task {
  return {
    ...{ what, cols: x.cols, repeats: REPEATS },
    ...{ x: peer.give("x", x.data), y: peer.give("y", Float64Array.from(y)) },
  };
}

async function medianOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let t = 0; t < REPEATS; t++) times.push(await cpuMs(work));
  return median(times);
}

/** Gaussian process and logistic regression beside scikit-learn on one thread. */
export async function benchSmoothModels(): Promise<BenchRow[]> {
  const peer: Learner | undefined = startPeer("numpy, sklearn", SERVE);
  const rows = [...(await processRows(peer)), await logisticRow(peer)];
  peer?.stop();
  return rows;
}

async function processRows(peer: Learner | undefined): Promise<BenchRow[]> {
  const { x, y } = task();
  const model = fitGp(x, y);
  const ours: Times = {
    fit: await medianOf(() => fitGp(x, y)),
    predict: await medianOf(() => model.predict(x)),
    optimise: await cpuMs(() => fitGp(x, y, { optimise: true })),
  };
  const theirs = await peer?.ask(given(peer, "gp", x, y));
  const row = (what: string, key: keyof Times): BenchRow => {
    const shared = {
      name: `gp ${ROWS} × ${COLS}: ${what}`,
      ours: ours[key],
      unit: "ms CPU",
      bar: "≤ 8 × sklearn",
    };
    return theirs ? { ...shared, peer: theirs[key], ok: ours[key] <= 8 * theirs[key] } : shared;
  };
  return [
    row("fit", "fit"),
    row("score the rows", "predict"),
    row("fit with the kernel optimised", "optimise"),
  ];
}

/** 20,000 rows of 23 normal columns, both sides to the optimum: scikit-learn by its default solver with a small tolerance. */
async function logisticRow(peer: Learner | undefined): Promise<BenchRow> {
  const [rows, cols] = [20_000, 23];
  const random = stream(2, "bench", "logistic");
  const x = normalRows(random, rows, cols);
  const y = Array.from({ length: rows }, (_, i) =>
    Number(x.data[i * cols]! - 0.5 * x.data[i * cols + 1]! + random.normal() > 0),
  );
  const ours = await medianOf(() => fitLogistic(x, y));
  const shared = { name: `logistic ${rows} × ${cols}: fit`, ours, unit: "ms CPU", bar: "≤ 3 × sklearn" };
  if (!peer) return shared;
  const theirs = await peer.ask(given(peer, "logistic", x, y));
  const same = lossOf(fitLogistic(x, y), x, y) <= theirs.loss * (1 + 1e-9);
  return { ...shared, peer: theirs.ms, ok: same && ours <= 3 * theirs.ms };
}

/** ½‖w‖² + Σ log(1 + e^(−y m)), the sum that both minimise. */
function lossOf(model: SmoothModel, x: Matrix, y: readonly number[]): number {
  const { weights, intercept } = model.structure!(1) as LinearStructure;
  let loss = weights.reduce((sum, w) => sum + w * w, 0) / 2;
  for (let i = 0; i < x.rows; i++) {
    let margin = intercept;
    for (let k = 0; k < x.cols; k++) margin += weights[k]! * x.data[i * x.cols + k]!;
    loss += softplus(y[i] === 1 ? -margin : margin);
  }
  return loss;
}

if (process.argv[1]?.endsWith("models-smooth.ts")) printTable(await benchSmoothModels());

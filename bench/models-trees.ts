import { fileURLToPath } from "node:url";
import type { FittedTrees } from "../src/model/trees/model.ts";
import { matrix } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { fitForest } from "../src/train/forest.ts";
import { fitGradboost } from "../src/train/gradboost.ts";
import { fitXgboost } from "../src/train/xgboost.ts";
import type { Matrix } from "../src/types.ts";
import { startPeer } from "./peer.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const TRAIN = 7_000;
const SCORE = 100_000;
const COLS = 23;
const RUNS = 3;

/** Both libraries on one thread; each task answers with its CPU milliseconds. */
const SERVE = `
import sys, json, time, numpy as np
from sklearn.ensemble import RandomForestClassifier, GradientBoostingClassifier
import xgboost
make = {
    "forest": lambda: RandomForestClassifier(n_jobs=1),
    "gradboost": lambda: GradientBoostingClassifier(),
    "xgboost hist": lambda: xgboost.XGBClassifier(n_jobs=1, tree_method="hist"),
    "xgboost exact": lambda: xgboost.XGBClassifier(n_jobs=1, tree_method="exact"),
}
fitted = {}
for line in sys.stdin:
    what, name, *files = json.loads(line)
    x, y, rows = (np.fromfile(file) for file in files)
    x, y, rows = x.reshape(-1, ${COLS}), y.astype(int), rows.reshape(-1, ${COLS})
    start = time.process_time()
    if what == "fit": fitted[name] = make[name]().fit(x, y)
    else: fitted[name].predict_proba(rows)
    print(1000 * (time.process_time() - start), flush=True)
`;

interface Learners {
  ms(what: "fit" | "score", name: string): Promise<number>;
  stop(): void;
}

interface LearningTask {
  readonly name: string;
  readonly x: Matrix;
  readonly y: Float64Array;
  readonly rows: Matrix;
}

/** Rows of normal cells with a curved, noisy border; `whole`: cells with few values, like counts and scores. */
function task(name: string, whole: boolean): LearningTask {
  const random = stream(1, "bench", "trees", name);
  const weights = Array.from({ length: COLS }, () => random.normal() / 3);
  const table = (rows: number): Matrix => {
    const cell = (): number => (whole ? Math.round(15 * random.normal()) : random.normal());
    return matrix(rows, COLS, Float64Array.from({ length: rows * COLS }, cell));
  };
  const x = table(TRAIN);
  const y = Float64Array.from({ length: TRAIN }, (_, i) => {
    const unit = (k: number): number => x.data[i * COLS + k]! / (whole ? 15 : 1);
    const linear = weights.reduce((sum, w, k) => sum + w * unit(k), 0);
    return Number(linear + 2 * Math.sin(3 * unit(0)) + random.normal() > 0);
  });
  return { name, x, y, rows: table(SCORE) };
}

/** scikit-learn and XGBoost in a process of their own, where they are installed. */
function startLearners({ x, y, rows }: LearningTask): Learners | undefined {
  const peer = startPeer<readonly string[], number>("numpy, sklearn, xgboost", SERVE);
  if (!peer) return undefined;
  const files = [peer.give("x", x.data), peer.give("y", y), peer.give("rows", rows.data)];
  return {
    ms: (what, name) => peer.ask([what, name, ...files]),
    stop: peer.stop,
  };
}

interface Contest {
  readonly name: string;
  fit(x: Matrix, y: Float64Array): FittedTrees;
  /** Our training may take this many times the peer's. */
  readonly fitBar?: number;
  /** Our rows per second may be this many times the peer's. */
  readonly scoreBar?: number;
}

const CONTESTS: readonly Contest[] = [
  { name: "forest", fit: (x, y) => fitForest(x, y), fitBar: 2, scoreBar: 3 },
  { name: "xgboost hist", fit: (x, y) => fitXgboost(x, y), fitBar: 1.3, scoreBar: 1.5 },
  { name: "xgboost exact", fit: (x, y) => fitXgboost(x, y, { method: "exact" }) },
  { name: "gradboost", fit: (x, y) => fitGradboost(x, y) },
];

/** Runs ours and the peer's in turn, so that a busy machine is busy for both. */
async function inTurn(
  ours: () => unknown,
  theirs: (() => Promise<number>) | undefined,
): Promise<{ ours: number; peer?: number }> {
  const [mine, other]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    mine.push(await cpuMs(ours));
    if (theirs) other.push(await theirs());
  }
  return theirs ? { ours: median(mine), peer: median(other) } : { ours: median(mine) };
}

async function compare(
  contest: Contest,
  data: LearningTask,
  peer: Learners | undefined,
): Promise<BenchRow[]> {
  const { name, fitBar, scoreBar } = contest;
  let model: FittedTrees | undefined;
  const training = await inTurn(
    () => {
      model = contest.fit(data.x, data.y);
    },
    peer && (() => peer.ms("fit", name)),
  );
  const fit: BenchRow = {
    name: `${name}: train 100 trees on ${TRAIN} × ${COLS}, ${data.name}`,
    ...training,
    unit: "ms CPU",
    ...(fitBar ? { bar: `≤ ${fitBar} × peer` } : {}),
    ...(fitBar && training.peer ? { ok: training.ours <= fitBar * training.peer } : {}),
  };
  if (!scoreBar) return [fit];
  const scoring = await inTurn(() => model!.predict(data.rows), peer && (() => peer.ms("score", name)));
  const perSecond = (ms: number): number => (1000 * SCORE) / ms;
  const score: BenchRow = {
    name: `${name}: score ${SCORE} × ${COLS}, ${data.name}`,
    ours: perSecond(scoring.ours),
    unit: "rows/s CPU",
    bar: `≥ ${scoreBar} × peer`,
    ...(scoring.peer ? { peer: perSecond(scoring.peer), ok: scoring.peer >= scoreBar * scoring.ours } : {}),
  };
  return [fit, score];
}

/** Training and scoring of the tree models against scikit-learn and XGBoost on one thread, CPU medians. */
export async function benchTreeModels(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const data of [task("real cells", false), task("whole cells", true)]) {
    const peer = startLearners(data);
    for (const contest of CONTESTS) rows.push(...(await compare(contest, data, peer)));
    peer?.stop();
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printTable(await benchTreeModels());

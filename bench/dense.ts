import { readFileSync } from "node:fs";
import { pshap } from "../src/attribute/index.ts";
import { uniform } from "../src/couple/index.ts";
import { treeKernels } from "../src/model/trees/kernels.ts";
import { treeModel } from "../src/model/trees/model.ts";
import { stream } from "../src/num/random.ts";
import { readXgboost } from "../src/read/xgboost.ts";
import type { Matrix, Model, Trees } from "../src/types.ts";
import { normalRows } from "./drawn.ts";
import { type Peer, startPeer } from "./peer.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const [TRAIN, ROWS, REFERENCES, COLS, RUNS] = [7_000, 1_000, 100, 23, 5];

/** Both models, and shap's interventional values of them in C. */
const SERVE = `
import sys, json, time, numpy as np, shap, xgboost
from sklearn.ensemble import RandomForestClassifier
folder = sys.argv[1]
made = {}
for line in sys.stdin:
    task = json.loads(line)
    x, r = (np.fromfile(task[k]).reshape(-1, ${COLS}) for k in ("x", "r"))
    name = task["model"]
    if name not in made:
        t, y = np.fromfile(task["t"]).reshape(-1, ${COLS}), np.fromfile(task["y"]).astype(int)
        if name == "xgb":
            model = xgboost.XGBClassifier(n_estimators=100, max_depth=6, n_jobs=1).fit(t, y)
            model.save_model(folder + "/xgb.json")
        else:
            model = RandomForestClassifier(100, max_depth=6, n_jobs=1, random_state=1).fit(t, y)
            trees = [e.tree_ for e in model.estimators_]
            json.dump([{
                "feature": e.feature.tolist(), "threshold": e.threshold.tolist(),
                "left": e.children_left.tolist(), "right": e.children_right.tolist(),
                "value": (e.value[:, 0, 1] / e.value[:, 0].sum(1)).tolist(),
            } for e in trees], open(folder + "/forest.json", "w"))
        made[name] = model
    explainer = shap.TreeExplainer(made[name], r, feature_perturbation="interventional")
    start = time.process_time()
    phi = explainer.shap_values(x, check_additivity=False)
    ms = 1000 * (time.process_time() - start)
    if name == "forest": phi = phi[..., 1]
    phi.astype(float).tofile(folder + "/phi")
    print(json.dumps({"ms": ms, "folder": folder}), flush=True)
`;

interface Task {
  readonly model: "xgb" | "forest";
  readonly t: string;
  readonly y: string;
  readonly x: string;
  readonly r: string;
}

interface Answer {
  readonly ms: number;
  readonly folder: string;
}

/** Exact attribution of 1,000 rows against 100 references each, beside shap's C; the files are the peer's own models. */
export async function benchDense(): Promise<BenchRow[]> {
  const peer = startPeer<Task, Answer>("numpy, shap, sklearn, xgboost", SERVE);
  if (!peer) return [];
  const random = stream(3, "bench dense");
  const table = (rows: number): Matrix => normalRows(random, rows, COLS);
  const [t, x, r] = [table(TRAIN), table(ROWS), table(REFERENCES)];
  const y = Float64Array.from({ length: TRAIN }, (_, i) => {
    const cell = (k: number): number => t.data[i * COLS + k]!;
    return Number(cell(0) * cell(1) + Math.sin(3 * cell(2)) + cell(3) + random.normal() > 0);
  });
  const rows: BenchRow[] = [];
  for (const model of ["xgb", "forest"] as const) rows.push(await compare(peer, model, { t, x, r, y }));
  peer.stop();
  return rows;
}

interface Tables {
  readonly t: Matrix;
  readonly x: Matrix;
  readonly r: Matrix;
  readonly y: Float64Array;
}

async function compare(
  peer: Peer<Task, Answer>,
  name: Task["model"],
  { t, x, r, y }: Tables,
): Promise<BenchRow> {
  const files = { t: peer.give("t", t.data), y: peer.give("y", y) };
  const task: Task = { model: name, ...files, x: peer.give("x", x.data), r: peer.give("r", r.data) };
  const { folder } = await peer.ask(task);
  const model = name === "xgb" ? readXgboost(readFileSync(`${folder}/xgb.json`)) : forestOf(folder);
  const [ours, theirs]: [number[], number[]] = [[], []];
  let farthest = 0;
  for (let run = 0; run < RUNS; run++) {
    let phi: Float64Array = new Float64Array(0);
    ours.push(
      await cpuMs(async () => {
        phi = (await pshap(model, x, r, uniform(x.rows, r.rows), { space: "margin", output: 1 })).values.data;
      }),
    );
    theirs.push((await peer.ask(task)).ms);
    const other = new Float64Array(new Uint8Array(readFileSync(`${folder}/phi`)).buffer);
    farthest = phi.reduce((most, v, at) => Math.max(most, Math.abs(v - other[at]!)), 0);
  }
  const [mine, peers] = [median(ours), median(theirs)];
  return {
    name: `dense TreeSHAP, ${name} 100 × depth 6, ${ROWS} × ${REFERENCES} (largest difference ${farthest.toExponential(1)})`,
    ours: mine,
    peer: peers,
    unit: "ms CPU",
    bar: "≤ 1/8 × shap's C",
    ok: 8 * mine <= peers,
  };
}

interface SavedTree extends Record<"feature" | "threshold" | "left" | "right" | "value", readonly number[]> {}

/** scikit-learn's forest: the mean of the leaves' shares of the class. */
function forestOf(folder: string): Model {
  const saved = JSON.parse(readFileSync(`${folder}/forest.json`, "utf8")) as SavedTree[];
  const starts = [0];
  for (const tree of saved) starts.push(starts.at(-1)! + tree.feature.length);
  const all = (pick: (tree: SavedTree, start: number) => readonly number[]): number[] =>
    saved.flatMap((tree, t) => pick(tree, starts[t]!));
  const trees: Trees = {
    kind: "trees",
    base: 0,
    link: "identity",
    roots: Int32Array.from(saved, (_, t) => starts[t]!),
    feature: Int32Array.from(all(({ feature }) => feature.map((c) => Math.max(-1, c)))),
    threshold: Float64Array.from(all(({ threshold }) => threshold)),
    left: Int32Array.from(all(({ left }, start) => left.map((v) => v + start))),
    right: Int32Array.from(all(({ right }, start) => right.map((v) => v + start))),
    value: Float64Array.from(
      all(({ value, feature }) => value.map((v, node) => (feature[node]! < 0 ? v / saved.length : 0))),
    ),
    flags: new Uint8Array(starts.at(-1)!),
    inclusive: true,
    float32: true,
    kernels: treeKernels,
  };
  return treeModel({ name: "forest", outputs: ["no", "yes"], cols: COLS, forests: [trees] });
}

if (process.argv[1]?.endsWith("dense.ts")) printTable(await benchDense());

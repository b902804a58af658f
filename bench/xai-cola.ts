import { readFileSync } from "node:fs";
import { pshap } from "../src/attribute/index.ts";
import { uniform } from "../src/couple/index.ts";
import { stream } from "../src/num/random.ts";
import { readXgboost } from "../src/read/xgboost.ts";
import { normalRows } from "./drawn.ts";
import { startPeer } from "./peer.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

/** The peer asks the model for every row anew: a few of them tell what one costs. */
const [TRAIN, ROWS, PEER_ROWS, REFERENCES, COLS, RUNS] = [4_000, 1_000, 4, 100, 23, 3];

/** A boosted model, and xai-cola's p-SHAP of it under an even coupling. */
const SERVE = `
import sys, json, time, types, warnings, logging, importlib.util, numpy as np, xgboost
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
# Its p-SHAP alone: the package as a whole also asks for torch and what draws figures.
path = importlib.util.find_spec("xai_cola").submodule_search_locations[0]
name = "xai_cola"
for part in ("", "ce_sparsifier", "policies", "feature_attributor"):
    if part: name, path = name + "." + part, path + "/" + part
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [path]
models = sys.modules["xai_cola.ce_sparsifier.models"] = types.ModuleType("models")
models.Model = object
from xai_cola.ce_sparsifier.policies.feature_attributor.pshap import JointProbabilityExplainer
import shap.explainers._kernel as kernel
kernel.tqdm = lambda rows, **_: rows
folder = sys.argv[1]
task = json.loads(sys.stdin.readline())
t, x, r = (np.fromfile(task[k]).reshape(-1, ${COLS}) for k in ("t", "x", "r"))
model = xgboost.XGBClassifier(n_estimators=100, max_depth=6, n_jobs=1).fit(t, np.fromfile(task["y"]).astype(int))
model.save_model(folder + "/xgb.json")
joint = np.full((len(x), len(r)), 1 / len(x) / len(r))
print(json.dumps({"ms": 0, "folder": folder}), flush=True)
for line in sys.stdin:
    start = time.process_time()
    JointProbabilityExplainer(model).shap_values(x, r, joint)
    print(json.dumps({"ms": 1000 * (time.process_time() - start) / len(x), "folder": folder}), flush=True)
`;

/** p-SHAP of a row against a hundred references, beside xai-cola on the same boosted model. */
export async function benchXaiCola(): Promise<BenchRow[]> {
  const peer = startPeer<unknown, { ms: number; folder: string }>("numpy, shap, xgboost", SERVE, "xai_cola");
  if (!peer) return [];
  const random = stream(4, "bench xai-cola");
  const table = (rows: number) => normalRows(random, rows, COLS);
  const [t, x, r] = [table(TRAIN), table(ROWS), table(REFERENCES)];
  const y = Float64Array.from({ length: TRAIN }, (_, i) =>
    Number(t.data[i * COLS]! * t.data[i * COLS + 1]! + t.data[i * COLS + 2]! + random.normal() > 0),
  );
  const { folder } = await peer.ask({
    ...{ t: peer.give("t", t.data), y: peer.give("y", y), r: peer.give("r", r.data) },
    x: peer.give("x", x.data.slice(0, PEER_ROWS * COLS)),
  });
  const model = readXgboost(readFileSync(`${folder}/xgb.json`));
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    ours.push((await cpuMs(() => pshap(model, x, r, uniform(x.rows, r.rows), { output: 1 }))) / ROWS);
    theirs.push((await peer.ask({})).ms);
  }
  peer.stop();
  const [mine, other] = [median(ours), median(theirs)];
  return [
    {
      name: `dense p-SHAP, xgb 100 × depth 6, a row against ${REFERENCES} references`,
      ...{ ours: mine, peer: other, unit: "ms CPU", bar: "≤ 1/300 × xai-cola", ok: 300 * mine <= other },
    },
  ];
}

if (process.argv[1]?.endsWith("xai-cola.ts")) printTable(await benchXaiCola());

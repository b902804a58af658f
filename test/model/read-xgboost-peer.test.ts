import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromRows } from "../../src/num/matrix.ts";
import { readXgboost } from "../../src/read/xgboost.ts";
import { pythonWith } from "../support/python.ts";

/** Trains small models with XGBoost itself and writes files, margins and scores; prints nothing. */
const SCRIPT = `
import json, sys, warnings
import numpy as np, xgboost as xgb
warnings.filterwarnings("ignore")
xgb.set_config(verbosity=0)
folder, rng = sys.argv[1], np.random.default_rng(0)
n, d = 300, 6
X = rng.normal(size=(n, d)).astype(np.float32)
X[:, 4], X[:, 5] = rng.integers(0, 8, n), rng.integers(0, 40, n)
X[rng.random((n, d)) < 0.1] = np.nan
f = np.nan_to_num(X[:, 0]) + 2 * np.isin(X[:, 4], [1, 3, 5]) - 2 * np.isin(X[:, 5], [2, 9, 33, 39])
y, k = (f + rng.normal(size=n) > 0.5).astype(int), np.digitize(f, [0, 1])
c, s = rng.poisson(np.exp(np.clip(f, -2, 2))), np.stack([f, 1 - 2 * f], 1)
T = X.copy()
T[:60, 4], T[:60, 5] = rng.integers(-1, 12, 60), rng.integers(0, 70, 60)
A = dict(tree_method="approx", max_cat_to_onehot=1)
models = dict(
  categories=("json", y, True, dict(objective="binary:logistic", **A)),
  onehot=("json", y, True, dict(objective="binary:logistic", tree_method="approx", max_cat_to_onehot=100)),
  ubjson=("ubj", k, True, dict(objective="multi:softprob", num_class=3, num_parallel_tree=2, **A)),
  dart=("json", k, False, dict(objective="multi:softprob", num_class=3, booster="dart", rate_drop=0.3)),
  started=("json", y, False, dict(objective="binary:logistic", booster="dart", rate_drop=0.3, base_score=0.2)),
  poisson=("ubj", c, False, dict(objective="count:poisson", base_score=0.7)),
  tweedie=("json", c, True, dict(objective="reg:tweedie", **A)),
  squared=("json", f, False, dict(objective="reg:squarederror", base_score=3)),
  logitraw=("json", y, False, dict(objective="binary:logitraw", base_score=0.2)),
  hinge=("json", y, False, dict(objective="binary:hinge")),
  linear=("json", y, False, dict(objective="binary:logistic", booster="gblinear", base_score=0.3)),
  targets=("json", s, False, dict(objective="reg:squarederror", tree_method="hist")),
)
wrapped = xgb.XGBClassifier(n_estimators=12, max_depth=4, booster="dart", rate_drop=0.3, base_score=0.2, n_jobs=1).fit(X, y)
out = dict(X=[[None if np.isnan(v) else float(v) for v in row] for row in T], models={})
for name, (form, label, cat, params) in models.items():
  kinds = dict(feature_types=["q"] * 4 + ["c", "c"], enable_categorical=True) if cat else {}
  booster = xgb.train(dict(nthread=1, max_depth=4, seed=1, **params), xgb.DMatrix(X, label=label, **kinds), 12)
  booster.save_model(f"{folder}/{name}.{form}")
  D = xgb.DMatrix(T, **kinds)
  wide = lambda v: np.asarray(v, dtype=float).reshape(n, -1).tolist()
  out["models"][name] = dict(file=f"{name}.{form}", margin=wide(booster.predict(D, output_margin=True)), score=wide(booster.predict(D)))
wrapped.save_model(f"{folder}/wrapped.json")
out["models"]["wrapped"] = dict(file="wrapped.json", margin=wide(wrapped.predict(T, output_margin=True)), score=wide(wrapped.predict_proba(T)[:, 1]))
json.dump(out, open(f"{folder}/expected.json", "w"))
`;

interface Expected {
  readonly X: (number | null)[][];
  readonly models: Record<
    string,
    { readonly file: string; readonly margin: number[][]; readonly score: number[][] }
  >;
}

const NAMES = [
  "categories",
  "onehot",
  "ubjson",
  "dart",
  "started",
  "wrapped",
  "poisson",
  "tweedie",
  "squared",
  "logitraw",
  "hinge",
  "linear",
  "targets",
];
const python = pythonWith("xgboost", "numpy");

describe.skipIf(!python)("XGBoost itself (skipped where Python has no xgboost)", () => {
  const folder = mkdtempSync(join(tmpdir(), "cola-xgboost-"));
  let expected: Expected;
  beforeAll(() => {
    const { status, stderr } = spawnSync(python!, ["-c", SCRIPT, folder], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Expected;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(NAMES)("%s: margins bit by bit, scores to 1e-6", (name) => {
    const rows = fromRows(expected.X);
    const { file, margin, score } = expected.models[name]!;
    const model = readXgboost(new Uint8Array(readFileSync(join(folder, file))));
    const width = margin[0]!.length;
    for (let g = 0; g < width; g++) {
      const o = width === 1 ? model.outputs.length - 1 : g;
      expect(Array.from(model.margin!(rows, o))).toEqual(margin.map((row) => row[g]));
      const scores = model.predict(rows, o) as Float64Array;
      const most = Math.max(
        ...scores.map((p, i) => Math.abs(p - score[i]![g]!) / (1 + Math.abs(score[i]![g]!))),
      );
      expect(most).toBeLessThan(1e-6);
    }
  });
});

"""Tools beside ours: what they find we do not make worse, what they serve we ask."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import cola_xai as cola
from cola_xai._engine import command


def test_treecf_and_we_side_by_side(heloc: tuple[pd.DataFrame, pd.Series], capsys: pytest.CaptureFixture[str]) -> None:
    """Plans of ours have never more edits, by proof; their change is printed side by side: ours keep whole numbers whole."""
    treecf, lightgbm = pytest.importorskip("treecf"), pytest.importorskip("lightgbm")
    rows, label = heloc[0].fillna(0)[heloc[0].columns[:8]].head(600), heloc[1].head(600)
    model = lightgbm.LGBMClassifier(n_estimators=15, max_depth=4, verbose=-1).fit(rows, label)
    some = rows[model.predict(rows) == 0].head(5)
    theirs = treecf.Explainer(model, background=rows.to_numpy(dtype="float64"))
    goal = treecf.Target.probability(range=(0.5, 1.0))
    result = cola.Study(model, rows, target="1").explain(some)
    spread = rows.std(ddof=0)
    low, high = rows.min(), rows.max()
    told = []
    for k, (_, row) in enumerate(some.iterrows()):
        found = theirs.explain(row.to_numpy(dtype="float64"), target=goal, backend="exact", sparsity_weight=1000.0, seed=0)
        edits = result.explanation["rows"][k]["edits"]
        assert result.plans["valid"].iloc[k]
        if not hasattr(found, "changes"):
            continue
        moved = {name: value for name, (_, value) in found.changes.items()}
        change = sum(abs(value - row[name]) / spread[name] for name, value in moved.items())
        own = sum(abs(result.plans.iloc[k][e["feature"]] - row[e["feature"]]) / spread[e["feature"]] for e in edits)
        told.append((len(edits), len(moved), own, change))
        if all(low[name] <= value <= high[name] for name, value in moved.items()):
            assert len(edits) <= len(moved)
    assert told
    with capsys.disabled():
        print("\nours and treecf's edits, ours and theirs change in standard deviations:")
        for own, other, change, moved in told:
            print(f"  {own} {other}  {change:.2f} {moved:.2f}")


def test_counterfactuals_of_alibi(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """An explanation as alibi's own class holds it."""
    interfaces = pytest.importorskip("alibi.api.interfaces")
    defaults = pytest.importorskip("alibi.api.defaults")
    rows, label = loans[0][["income", "debt"]], loans[1]
    model = LogisticRegression().fit(rows, label)
    some = rows[model.predict(rows) == 0].head(2)
    good = rows[model.predict(rows) == 1].iloc[[0]].to_numpy(dtype="float32")
    data = {**defaults.DEFAULT_DATA_CF, "cf": {"X": good, "class": 1, "proba": model.predict_proba(good)}, "orig_class": 0, "success": True}
    found = [interfaces.Explanation(meta=dict(defaults.DEFAULT_META_CF, name="Counterfactual"), data=data) for _ in range(2)]
    result = cola.refine(model, some, found, data=rows, target=1)
    assert result.plans["valid"].all() and (model.predict(result.plans[rows.columns]) == 1).all()
    assert all(len(one["edits"]) <= 2 for one in result.explanation["rows"])


XAI_COLA = """
import sys, warnings
from unittest.mock import MagicMock
import dice_ml, ot, shap
try: import torch
except ImportError:  # imported for its networks alone, which are not asked here
    for name in ("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.optim.lr_scheduler"):
        sys.modules[name] = MagicMock()
warnings.filterwarnings("ignore")
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xai_cola.ce_generator import DiCE
from xai_cola.ce_sparsifier import COLA
from xai_cola.ce_sparsifier.data import COLAData
from xai_cola.ce_sparsifier.models import Model
from xai_cola.datasets.german_credit import GermanCreditDataset
train, labels, test, _ = GermanCreditDataset().get_original_train_test_split()
numbers = ["Age", "Credit amount", "Duration"]
texts = ["Sex", "Job", "Housing", "Saving accounts", "Checking account", "Purpose"]
for name in texts: train[name] = train[name].astype(str); test[name] = test[name].astype(str)
columns = [("num", StandardScaler(), numbers), ("cat", OneHotEncoder(drop="first", handle_unknown="ignore"), texts)]
logistic = LogisticRegression(max_iter=1000, class_weight="balanced", random_state=42)
pipe = Pipeline([("preprocessor", ColumnTransformer(columns, remainder="passthrough")), ("classifier", logistic)]).fit(train, labels)
some = test.assign(Risk=pipe.predict(test))
some = some[some.Risk == 1].sample(n=6, random_state=42)
data = COLAData(factual_data=some, label_column="Risk", numerical_features=numbers)
model = Model(model=pipe, backend="sklearn")
_, found = DiCE(ml_model=model).generate_counterfactuals(
    data=data, factual_class=1, total_cfs=1, features_to_keep=["Age", "Sex"], continuous_features=numbers)
data.add_counterfactuals(found, with_target_column=True)
cola = COLA(data=data, ml_model=model)
cola.set_policy(matcher="ot", attributor="pshap", random_state=1)
count = cola.query_minimum_actions()
refined = cola.get_refined_counterfactual(limited_actions=count)
refined = refined[-1] if isinstance(refined, tuple) else refined
import joblib
joblib.dump((train, pipe, some.drop(columns="Risk"), found.drop(columns="Risk"), int(count), refined), sys.argv[1])
"""


def test_xai_cola_on_its_own_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The case of its README: our plans reach the goal with no more edits than its counterfactuals, theirs beside them."""
    pytest.importorskip("dice_ml")
    pytest.importorskip("ot")
    if subprocess.run([sys.executable, "-c", "import xai_cola"], capture_output=True, text=True).stderr.count("No module named 'xai_cola'"):
        pytest.skip("could not import 'xai_cola'")
    made = tmp_path / "made.joblib"
    ran = subprocess.run([sys.executable, "-c", XAI_COLA, str(made)], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr[-2000:]
    import joblib

    train, pipe, some, found, count, refined = joblib.load(made)
    texts = {name: str for name in train.select_dtypes(exclude="number")}
    found = found[train.columns].astype(texts)
    result = cola.refine(pipe, some[train.columns], found, data=train, target=0)
    assert result.plans["valid"].all() and (pipe.predict(result.plans[train.columns]) == 0).all()
    ours = int((result.edits["role"] == "plan").sum())
    given = int((found.to_numpy(dtype=str) != some[train.columns].astype(texts).to_numpy(dtype=str)).sum())
    reach = (pipe.predict(refined[train.columns].astype(texts)) == 0).all()
    with capsys.disabled():
        print(f"\nedits: ours {ours}, xai-cola's {count} (reach the goal: {reach}), of the counterfactuals {given}")
    assert ours <= given


def scored(model: Any, folder: Path) -> Any:
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("mlflow.pyfunc")
    import mlflow.sklearn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlflow.sklearn.save_model(model, str(folder / "model"), pyfunc_predict_fn="predict_proba", serialization_format="pickle")
        return mlflow.pyfunc.load_model(str(folder / "model"))


def test_mlflow_models_and_their_server(loans: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    uvicorn, server = pytest.importorskip("uvicorn"), pytest.importorskip("mlflow.pyfunc.scoring_server")
    rows, label = loans[0][["income", "debt"]].astype("float64"), loans[1]
    model = LogisticRegression().fit(rows, label)
    loaded = scored(model, tmp_path)
    some = rows[model.predict(rows) == 0].head(3)
    plans = cola.Study(loaded, rows, target="1", outputs=["0", "1"]).explain(some).plans
    assert plans["valid"].all() and (model.predict(plans[rows.columns]) == 1).all()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = uvicorn.Server(uvicorn.Config(server.init(loaded), host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=served.run, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + 60
        while not served.started and time.monotonic() < until:
            time.sleep(0.05)
        told = over_http("mlflow", port, rows, some, tmp_path)
    finally:
        served.should_exit = True
        thread.join(10)
    for line, (_, row) in zip(told, some.iterrows()):
        assert line["valid"]
        made = row.copy()
        for edit in line["edits"]:
            made[edit["feature"]] = float(edit["to"])
        assert model.predict(made.to_frame().T)[0] == 1


def over_http(protocol: str, port: int, rows: pd.DataFrame, some: pd.DataFrame, folder: Path, *more: str) -> list[dict[str, Any]]:
    """The plans of the command line for a model behind HTTP."""
    rows.to_csv(folder / "rows.csv", index_label="id")
    node = [*command()[:-1], "explain", "--data", "rows.csv", "--id", "id", "--ids", ",".join(map(str, some.index))]
    model = ["--model", f"http://127.0.0.1:{port}", "--protocol", protocol, "--outputs", "0,1", "--target", "1", *more]
    ran = subprocess.run([*node, *model, "--out", "out"], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return list(json.loads((folder / "out" / "explanation.json").read_text())["rows"])


KSERVE = """
import sys
import joblib, numpy as np
from kserve import InferOutput, InferResponse, Model, ModelServer

class Served(Model):
    def __init__(self):
        super().__init__("credit")
        self.model, self.ready = joblib.load(sys.argv[1]), True

    def predict(self, payload, headers=None, response_headers=None):
        if isinstance(payload, dict):
            return {"predictions": self.model.predict_proba(np.asarray(payload["instances"], dtype=float)).tolist()}
        scores = self.model.predict_proba(payload.inputs[0].as_numpy().astype(float))
        output = InferOutput(name="scores", shape=list(scores.shape), datatype="FP64", data=scores.ravel().tolist())
        return InferResponse(response_id=payload.id or "0", model_name="credit", infer_outputs=[output])

ModelServer(http_port=int(sys.argv[2]), enable_grpc=False).start([Served()])
"""


@pytest.mark.parametrize("protocol", ["kserve-v1", "kserve-v2"])
def test_a_server_of_kserve(protocol: str, loans: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    pytest.importorskip("kserve")
    import joblib

    rows, label = loans[0][["income", "debt"]].astype("float64"), loans[1]
    model = LogisticRegression().fit(rows.to_numpy(), label)
    some = rows[model.predict(rows.to_numpy()) == 0].head(3)
    joblib.dump(model, tmp_path / "model.joblib")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (tmp_path / "log").open("w") as log:
        served = subprocess.Popen([sys.executable, "-c", KSERVE, str(tmp_path / "model.joblib"), str(port)], stdout=log, stderr=log)
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until and served.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        told = over_http(protocol, port, rows, some, tmp_path, "--model-name", "credit")
    finally:
        served.terminate()
        served.wait(20)
    assert [line["valid"] for line in told] == [True] * 3
    plans = some.copy()
    for line, name in zip(told, some.index):
        for edit in line["edits"]:
            plans.loc[name, edit["feature"]] = float(edit["to"])
    assert (model.predict(plans.to_numpy()) == 1).all()

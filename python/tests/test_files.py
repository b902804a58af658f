"""Files as their libraries export them today (docs/MODELS.md), held against the scores of these libraries by `cola check`."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import ROOT
from cola_xai._engine import _node

#: The command as it is built here: with the ONNX runtime of its own folder, which the wheel has not.
COLA = ROOT / "dist" / "cli" / "main.js"
SINGLE = 2e-6

Export = Callable[[Path, pd.DataFrame, pd.Series], tuple[Path, np.ndarray]]


def of_sklearn(model: Any) -> Export:
    def export(folder: Path, rows: pd.DataFrame, label: pd.Series) -> tuple[Path, np.ndarray]:
        skl2onnx = pytest.importorskip("skl2onnx")
        table = rows.to_numpy(dtype="float32")
        model.fit(table, label)
        path = folder / "model.onnx"
        path.write_bytes(skl2onnx.to_onnx(model, table[:1]).SerializeToString())
        return path, model.predict_proba(table)

    return export


def of_xgboost(folder: Path, rows: pd.DataFrame, label: pd.Series) -> tuple[Path, np.ndarray]:
    xgboost, onnxmltools = pytest.importorskip("xgboost"), pytest.importorskip("onnxmltools")
    from onnxmltools.convert.common.data_types import FloatTensorType

    table = rows.to_numpy(dtype="float32")
    model = xgboost.XGBClassifier(n_estimators=30, max_depth=4, tree_method="hist", base_score=0.5).fit(table, label)
    made = onnxmltools.convert_xgboost(model, initial_types=[("X", FloatTensorType([None, table.shape[1]]))])
    path = folder / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path, model.predict_proba(table)


def of_lightgbm(folder: Path, rows: pd.DataFrame, label: pd.Series) -> tuple[Path, np.ndarray]:
    lightgbm, onnxmltools = pytest.importorskip("lightgbm"), pytest.importorskip("onnxmltools")
    from onnxmltools.convert.common.data_types import FloatTensorType

    table = rows.to_numpy(dtype="float32")
    model = lightgbm.LGBMClassifier(n_estimators=30, verbose=-1).fit(table, label)
    made = onnxmltools.convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, table.shape[1]]))], zipmap=False)
    path = folder / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path, model.predict_proba(table)


def of_torch(folder: Path, rows: pd.DataFrame, label: pd.Series) -> tuple[Path, np.ndarray]:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    table = torch.tensor(rows.to_numpy(dtype="float32"))
    model = torch.nn.Sequential(torch.nn.Linear(table.shape[1], 16), torch.nn.ReLU(), torch.nn.Linear(16, 2), torch.nn.Softmax(dim=1))
    path = folder / "model.onnx"
    program = torch.onnx.export(model.eval(), (table[:4],), dynamo=True, dynamic_shapes=({0: torch.export.Dim("N")},))
    program.save(str(path), external_data=False)
    return path, model(table).detach().numpy()


def of_tree_ensemble(folder: Path, rows: pd.DataFrame, label: pd.Series) -> tuple[Path, np.ndarray]:
    """TreeEnsemble of ai.onnx.ml 5, told from a forest of scikit-learn node by node."""
    onnx, reference = pytest.importorskip("onnx"), pytest.importorskip("onnx.reference")
    table = rows.to_numpy(dtype="float32")
    model = RandomForestClassifier(10, max_depth=5, random_state=0).fit(table, label)
    roots: list[int] = []
    lists: dict[str, list[Any]] = {name: [] for name in ("feature", "split", "true", "trueleaf", "false", "falseleaf", "weight")}
    for one in model.estimators_:
        tree = one.tree_
        inner = {int(v): len(lists["feature"]) + k for k, v in enumerate(np.flatnonzero(tree.children_left >= 0))}
        first = len(lists["weight"])
        leaf = {int(v): first + k for k, v in enumerate(np.flatnonzero(tree.children_left < 0))}
        roots.append(inner[0])
        share = tree.value[:, 0, 1] / tree.value[:, 0].sum(axis=1) / len(model.estimators_)
        lists["weight"] += [float(share[v]) for v in leaf]
        for v in inner:
            lists["feature"].append(int(tree.feature[v]))
            below = np.float32(tree.threshold[v])  # the largest float32 that goes left
            lists["split"].append(float(below if below <= tree.threshold[v] else np.nextafter(below, np.float32(-np.inf))))
            for name, child in (("true", tree.children_left[v]), ("false", tree.children_right[v])):
                lists[f"{name}leaf"].append(int(child in leaf))
                lists[name].append(leaf.get(int(child), inner.get(int(child), 0)))
    helper, numbers = onnx.helper, onnx.numpy_helper.from_array
    node = helper.make_node(
        "TreeEnsemble",
        ["X"],
        ["Y"],
        domain="ai.onnx.ml",
        tree_roots=roots,
        n_targets=1,
        nodes_featureids=lists["feature"],
        nodes_splits=numbers(np.asarray(lists["split"], "float32")),
        nodes_modes=numbers(np.zeros(len(lists["feature"]), "uint8")),
        nodes_truenodeids=lists["true"],
        nodes_trueleafs=lists["trueleaf"],
        nodes_falsenodeids=lists["false"],
        nodes_falseleafs=lists["falseleaf"],
        leaf_targetids=[0] * len(lists["weight"]),
        leaf_weights=numbers(np.asarray(lists["weight"], "float32")),
    )
    float32 = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("X", float32, [None, table.shape[1]])],
        [helper.make_tensor_value_info("Y", float32, [None, 1])],
    )
    ids = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 5)]
    made = helper.make_model(graph, opset_imports=ids, ir_version=10)
    onnx.checker.check_model(made)
    told = reference.ReferenceEvaluator(made).run(None, {"X": table[:50]})[0][:, 0]
    np.testing.assert_allclose(told, model.predict_proba(table[:50])[:, 1], atol=SINGLE)
    path = folder / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path, model.predict_proba(table)


#: What exports a file, and the structure that is found in it.
EXPORTS: dict[str, tuple[Export, str]] = {
    "skl2onnx boosting": (of_sklearn(GradientBoostingClassifier(n_estimators=30, random_state=0)), "trees"),
    "skl2onnx forest": (of_sklearn(RandomForestClassifier(20, max_depth=6, random_state=0)), "trees"),
    "skl2onnx pipeline": (of_sklearn(make_pipeline(StandardScaler(), LogisticRegression())), "linear"),
    "skl2onnx network": (of_sklearn(make_pipeline(StandardScaler(), MLPClassifier((8,), max_iter=50, random_state=0))), "not offered"),
    "onnxmltools xgboost": (of_xgboost, "trees"),
    "onnxmltools lightgbm": (of_lightgbm, "trees"),
    "torch": (of_torch, "not offered"),
    "TreeEnsemble": (of_tree_ensemble, "trees"),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_onnx(name: str, heloc: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    if not COLA.exists() or not (ROOT / "node_modules" / "onnxruntime-node").exists():
        pytest.skip("there is no built command with the ONNX runtime beside it")
    rows, label = heloc[0].fillna(0).head(1000), heloc[1].head(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        export, structure = EXPORTS[name]
        path, scores = export(tmp_path, rows, label)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    pd.DataFrame({"score": scores[:, -1]}).to_csv(tmp_path / "scores.csv", index=False)
    told = ["check", "--data", "rows.csv", "--model", path.name, "--reference", "scores.csv", "--tolerance", str(SINGLE)]
    ran = subprocess.run([shutil.which("node") or _node(), str(COLA), *told], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"structure: {structure}" in ran.stdout

"""The real libraries beside us: what they compute, we compute; what they find, we do not make worse."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import cola_xai as cola


def test_shap_interventional_values_and_additivity(heloc: tuple[pd.DataFrame, pd.Series]) -> None:
    shap = pytest.importorskip("shap")
    rows, label = heloc
    rows = rows.fillna(-1)[rows.columns[:8]]
    model = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(rows, label)
    references = rows[model.predict(rows) == 1].head(20)
    some = rows[model.predict(rows) == 0].head(5)
    ours = cola.pshap(model, some, references, coupling="uniform", data=rows, target=1)
    assert isinstance(ours, shap.Explanation)
    theirs = shap.TreeExplainer(model, references, feature_perturbation="interventional").shap_values(some)
    margins = np.asarray(theirs)
    scores = model.decision_function(some)
    total = ours.values.sum(axis=1) + ours.base_values
    if np.allclose(total, scores, atol=1e-6):
        np.testing.assert_allclose(ours.values, margins, atol=1e-6)
    else:
        np.testing.assert_allclose(total, model.predict_proba(some)[:, 1], atol=1e-9)


def test_pot_finds_the_same_cost(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    ot = pytest.importorskip("ot")
    rows = loans[0][["income", "debt"]]
    x, r = rows.head(12), rows.iloc[40:60]
    coupled = cola.couple(x, r, data=rows)
    assert abs(coupled["mass"].sum() - 1) < 1e-12
    scale = rows.std(ddof=0).to_numpy()
    cost = (((x.to_numpy()[:, None] - r.to_numpy()[None]) / scale) ** 2).sum(axis=2)
    ours = sum(m * cost[x.index.get_loc(i), r.index.get_loc(j)] for i, j, m in coupled.itertuples(index=False))
    best = ot.emd2(np.full(len(x), 1 / len(x)), np.full(len(r), 1 / len(r)), cost)
    assert ours == pytest.approx(best, rel=1e-9) or coupled.attrs["gap"] == 0


def test_counterfactuals_of_dice_are_never_made_worse(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    dice_ml = pytest.importorskip("dice_ml")
    rows, label = loans[0][["income", "debt", "kids"]].reset_index(drop=True), loans[1].reset_index(drop=True)
    model = RandomForestClassifier(20, max_depth=5, random_state=0).fit(rows, label)
    table = rows.assign(granted=label)
    data = dice_ml.Data(dataframe=table, continuous_features=list(rows.columns), outcome_name="granted")
    wrapped = dice_ml.Model(model=model, backend="sklearn")
    some = rows[model.predict(rows) == 0].head(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dice_ml.Dice(data, wrapped, method="random").generate_counterfactuals(
            some, total_CFs=2, desired_class=1, random_seed=0, verbose=False
        )
    result = cola.refine(model, some, found, data=rows, target=1)
    assert result.plans["valid"].all()
    assert (model.predict(result.plans[rows.columns]) == 1).all()
    fewest = []
    for example, (_, row) in zip(found.cf_examples_list, some.iterrows()):
        changed = example.final_cfs_df[rows.columns].astype(float).sub(row.astype(float)).abs() > 1e-9
        fewest.append(int(changed.sum(axis=1).min()))
    ours = [len(one["edits"]) for one in result.explanation["rows"]]
    assert all(a <= b for a, b in zip(ours, fewest))
    written = result.to_dice()
    assert len(json.loads(json.dumps(written))) > 0


def test_alibi_output_is_refined(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """In the form of alibi.explainers.Counterfactual: an object with meta and data."""
    rows, label = loans[0][["income", "debt"]], loans[1]
    model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(rows, label)
    some = rows[model.predict(rows) == 0].head(2)
    good = rows[model.predict(rows) == 1].iloc[0]

    class Explanation:
        def __init__(self, row: pd.Series) -> None:
            self.meta = {"name": "Counterfactual", "type": ["blackbox"], "explanations": ["local"]}
            self.data: dict[str, Any] = {
                "cf": {"X": [good.tolist()], "class": 1, "proba": [[0.1, 0.9]]},
                "orig_class": 0,
                "orig_proba": [[0.9, 0.1]],
                "all": {},
                "success": True,
            }

        def to_json(self) -> str:
            return json.dumps({"meta": self.meta, "data": self.data})

    result = cola.refine(model, some, [Explanation(row) for _, row in some.iterrows()], data=rows, target=1)
    assert result.plans["valid"].all()

"""Model files as their libraries write them today, against the scores of the libraries themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cola_xai as cola


def study_of(model: Any, rows: pd.DataFrame) -> cola.Study:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return cola.Study(model, rows)


@pytest.mark.parametrize("grow", ["SymmetricTree", "Depthwise", "Lossguide"])
@pytest.mark.parametrize("data", ["heloc", "german"])
def test_catboost(grow: str, data: str, request: pytest.FixtureRequest) -> None:
    catboost = pytest.importorskip("catboost")
    rows, label = request.getfixturevalue(data)
    numbers = rows.select_dtypes("number")
    model = catboost.CatBoostClassifier(iterations=30, depth=5, verbose=0, allow_writing_files=False, grow_policy=grow, thread_count=2)
    model.fit(numbers, label)
    study = study_of(model, numbers)
    assert study.structure == "trees"
    np.testing.assert_allclose(study.score(numbers.head(1000)), model.predict_proba(numbers.head(1000)), rtol=0, atol=1e-9)


def test_catboost_of_three_classes(german: tuple[pd.DataFrame, pd.Series]) -> None:
    catboost = pytest.importorskip("catboost")
    rows = german[0].select_dtypes("number")
    model = catboost.CatBoostClassifier(iterations=20, depth=4, verbose=0, allow_writing_files=False, thread_count=2)
    model.fit(rows, german[0]["Housing"])
    study = study_of(model, rows)
    np.testing.assert_allclose(study.score(rows), model.predict_proba(rows), rtol=0, atol=1e-9)
    assert study.structure == "trees"


def test_catboost_of_numbers(heloc: tuple[pd.DataFrame, pd.Series]) -> None:
    catboost = pytest.importorskip("catboost")
    rows = heloc[0].iloc[:, 1:8]
    model = catboost.CatBoostRegressor(iterations=20, depth=4, verbose=0, allow_writing_files=False, thread_count=2).fit(rows, heloc[0].iloc[:, 0].fillna(0))
    study = study_of(model, rows)
    assert study.structure == "trees"
    np.testing.assert_allclose(study.score(rows.head(1000)).iloc[:, 0], model.predict(rows.head(1000)), rtol=1e-9)


@pytest.mark.parametrize("grow", ["SymmetricTree", "Depthwise"])
@pytest.mark.parametrize("data", ["german", "hotel"])
def test_catboost_with_categories(grow: str, data: str, request: pytest.FixtureRequest) -> None:
    catboost = pytest.importorskip("catboost")
    rows, label = request.getfixturevalue(data)
    texts = list(rows.select_dtypes(exclude="number"))
    rows = rows.fillna(dict.fromkeys(texts, "none"))
    model = catboost.CatBoostClassifier(
        iterations=30, depth=4, verbose=0, allow_writing_files=False, cat_features=texts, one_hot_max_size=50, grow_policy=grow
    ).fit(rows, label)
    study = study_of(model, rows)
    assert study.structure == "trees"
    np.testing.assert_allclose(study.score(rows.head(1000)), model.predict_proba(rows.head(1000)), rtol=0, atol=1e-9)


def test_catboost_with_counters_is_asked(german: tuple[pd.DataFrame, pd.Series]) -> None:
    catboost = pytest.importorskip("catboost")
    rows = german[0].fillna("none")
    texts = list(rows.select_dtypes(exclude="number"))
    model = catboost.CatBoostClassifier(iterations=10, depth=3, verbose=0, allow_writing_files=False, cat_features=texts)
    model.fit(rows, german[1])
    with pytest.warns(UserWarning, match="counters of categories") as told:
        study = cola.Study(model, rows, target=1)
    assert study.structure is None and len(told) == 1
    refused = rows[model.predict(rows) == 0].head(3)
    result = study.explain(refused)
    assert (model.predict(result.plans[rows.columns]) == 1).all()


@pytest.mark.parametrize("data", ["german", "heloc"])
def test_ebm(data: str, request: pytest.FixtureRequest) -> None:
    glassbox = pytest.importorskip("interpret.glassbox")
    rows, label = request.getfixturevalue(data)
    rows = rows[rows.columns[:8]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = glassbox.ExplainableBoostingClassifier(interactions=2, max_rounds=50, outer_bags=2, n_jobs=1).fit(rows, label)
        study = cola.Study(model, rows)
    assert study.structure == "trees"
    np.testing.assert_allclose(study.score(rows.head(1000)), model.predict_proba(rows.head(1000)), rtol=0, atol=1e-9)

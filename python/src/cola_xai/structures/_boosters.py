"""XGBoost, LightGBM, CatBoost and interpret: the files these libraries write themselves."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from .._tables import Form, _text
from ._inputs import Input

#: File, its name, inputs, and whether the library scores in float32.
Made = tuple[bytes, str, list[Input], bool]


def booster(model: Any, inputs: list[Input], form: Form) -> Made | None:
    library = type(model).__module__.split(".")[0]
    coded = [_coded(one, form) for one in inputs]
    if library == "xgboost":
        return _written(model, "model.json"), "model.json", coded, True
    if library == "lightgbm":
        inner = getattr(model, "booster_", model)
        return inner.model_to_string().encode(), "model.txt", coded, False
    if library == "catboost":
        return _written(model, "model.json", format="json"), "model.json", inputs, False
    if library == "interpret":
        placed = [_placed(one, bins) for one, bins in zip(inputs, model.bins_)]
        return _written(model, "model.json", "to_json", detail="all"), "model.json", placed, False
    return None


def _coded(one: Input, form: Form) -> Input:
    """A column of pandas categories is the place of each among them."""
    dtype = form.columns[one.column].dtype
    if one.levels is not None or not isinstance(dtype, pd.CategoricalDtype):
        return one
    return replace(one, levels={_text(value): float(k) for k, value in enumerate(dtype.categories)})


def _placed(one: Input, bins: list[Any]) -> Input:
    """A column of categories of interpret is the place of each, counted from 1 in its own table."""
    if not isinstance(bins[0], dict):
        return one
    return replace(one, levels={_text(value): float(place - 1) for value, place in bins[0].items()})


def _written(model: Any, name: str, write: str = "save_model", **options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        getattr(model, write)(str(path), **options)
        return path.read_bytes()

"""XGBoost, LightGBM, CatBoost and interpret: the files these libraries write themselves."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from .._tables import Form, _text
from ._inputs import Input, Unsupported, first_inputs

#: File, its name, inputs, and whether the library scores in float32.
Made = tuple[bytes, str, list[Input], bool]


def booster(model: Any, inputs: list[Input], form: Form, rows: pd.DataFrame) -> Made | None:
    library = type(model).__module__.split(".")[0]
    coded = [_coded(one, form) for one in inputs]
    if library == "xgboost":
        return _written(model, "model.json"), "model.json", coded, True
    if library == "lightgbm":
        inner = getattr(model, "booster_", model)
        return inner.model_to_string().encode(), "model.txt", coded, False
    if library == "catboost":
        return *_hashed(model, inputs, form, rows), False
    if library == "interpret":
        placed = [_placed(one, bins) for one, bins in zip(inputs, model.bins_)]
        return _written(model, "model.json", "to_json", detail="all"), "model.json", placed, False
    return None


def _hashed(model: Any, inputs: list[Input], form: Form, rows: pd.DataFrame) -> tuple[bytes, str, list[Input]]:
    """A column of categories of CatBoost is the place of each text in the table of hashes that it writes with its rows."""
    import catboost

    places = [int(k) for k in model.get_cat_feature_indices()]
    if not places:
        return _written(model, "model.json", format="json"), "model.json", inputs
    if any(one != plain for one, plain in zip(inputs, first_inputs(form))) or len(inputs) != len(form.columns):
        raise Unsupported
    shown = pd.DataFrame({column.name: rows[column.label] for column in form.columns})
    written = _written(model, "model.json", format="json", pool=catboost.Pool(shown, cat_features=places))
    known = {one["value"]: k for k, one in enumerate(json.loads(written)["features_info"]["cat_features_hash"])}
    told = list(inputs)
    for k in places:
        levels = {_text(value): float(known[str(value)]) for value in rows[form.columns[k].label].dropna().unique()}
        told[k] = replace(inputs[k], levels=levels, other=-1.0)
    return written, "model.json", told


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

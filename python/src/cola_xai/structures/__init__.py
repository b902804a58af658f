"""Models handed over as what they are, so that exact algorithms apply and no score crosses the process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .._models import name_of
from .._tables import Form
from ._boosters import booster
from ._estimators import estimator
from ._inputs import Input, Unsupported, first_inputs, through

__all__ = ["Structure", "Unsupported", "structure_of"]

HALF = ("float16", "halffloat")


@dataclass(frozen=True)
class Structure:
    """A model file and how the caller's columns become its inputs."""

    title: str
    file: str
    content: bytes | Mapping[str, Any]
    inputs: Sequence[Input]
    form: Form
    outputs: list[str] | None
    #: The file does not know the names of its outputs.
    names_outputs: bool
    #: The library scores in float32.
    single: bool

    def document(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else json.dumps(self.content, allow_nan=False).encode()

    @property
    def wide(self) -> tuple[str, ...]:
        """Dtypes whose numbers the model tells from doubles beside them; it may round to float32 before all else."""
        rounds = self.single or "CatBoost" in self.title or (isinstance(self.content, Mapping) and self.content.get("float32"))
        return HALF if rounds and not any(one.steps for one in self.inputs) else (*HALF, "float32", "float[")

    @property
    def categorical(self) -> list[str]:
        """Columns that are read level by level, whatever their cells look like."""
        return [self.form.columns[one.column].name for one in self.inputs if one.levels is not None]

    def encoding(self, schema: Mapping[str, Any], groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        features = {feature["name"]: feature for feature in schema["features"]}
        return {"inputs": [one.spec(self.form, features, groups) for one in self.inputs]}


def structure_of(model: Any, form: Form, rows: pd.DataFrame) -> Structure | None:
    """The structure of a model, or None where there is none that the engine reads."""
    try:
        inputs, last = through(first_inputs(form, model), model)
        made = booster(last, inputs, form, rows)
        if made is not None:
            written, file, inputs, single = made
            classes = getattr(last, "classes_", None)
            names = [name_of(c) for c in classes] if classes is not None else None
            return Structure(type(last).__name__, file, written, inputs, form, names, names is not None, single)
        content, inputs = estimator(last, inputs)
    except (Unsupported, AttributeError, LookupError, TypeError, ValueError):
        return None
    return Structure(type(last).__name__, "model.json", content, inputs, form, None, False, False)


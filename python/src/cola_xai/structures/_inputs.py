"""Pipelines: what becomes of each column before the model reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from .._models import names_in
from .._tables import Form, _text, levels_of


#: A scale that leaves nothing of a number: 0 to every digit that scores have.
FLAT = 1e300


Step = Callable[[float], float]


class Unsupported(Exception):
    """There is a part that cannot be told as a structure."""


@dataclass(frozen=True)
class Input:
    """One input of a model, made of one column: (v − mean) / scale, or a number for each level."""

    column: int
    #: The column holds texts.
    text: bool = False
    levels: Mapping[str, float] | None = None
    #: Number of a level that is not listed; None where such a cell is an error.
    other: float | None = None
    mean: float = 0.0
    scale: float = 1.0
    #: What a gap becomes; NaN: it stays one.
    missing: float = math.nan
    #: A level put in place of a gap, before levels become numbers.
    fill: str | None = None
    #: What was done to a number, one after the other.
    steps: tuple[Step, ...] = ()

    def scaled(self, mean: float, scale: float, step: Step | None = None) -> Input:
        """The input with (v − mean) / scale after it; `step` does the same as its transformer does, to the last bit."""
        if self.text and self.levels is None:
            raise Unsupported
        step = step or (lambda v: (v - mean) / scale)
        levels = None if self.levels is None else {level: step(value) for level, value in self.levels.items()}
        other = None if self.other is None else step(self.other)
        made = replace(self, levels=levels, other=other, missing=step(self.missing), steps=(*self.steps, step))
        return replace(made, mean=self.mean + mean * self.scale, scale=self.scale * scale)

    def before(self, value: float) -> float:
        """The greatest number that is at most `value` after the steps."""
        if not self.steps or not abs(value) < math.inf:
            return value
        guess = value * self.scale + self.mean
        room = 64 * math.ulp(max(abs(guess), abs(self.mean)))
        low, high = guess - room, guess + room
        while low < (middle := low + (high - low) / 2) < high:
            low, high = (middle, high) if reduce(lambda v, step: step(v), self.steps, middle) <= value else (low, middle)
        return low

    def spec(self, form: Form, features: Mapping[str, Any], groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The entry of an encoding file (docs/MODELS.md)."""
        name = form.columns[self.column].name
        gap = {} if math.isnan(self.missing) else {"missing": self.missing}
        for group in groups:  # an indicator column that became a level
            if name in group["columns"]:
                own = group["levels"][list(group["columns"]).index(name)]
                both = self._codes(["0", "1"]) if self.levels is not None else None
                off, on = (both["0"], both["1"]) if both else ((0 - self.mean) / self.scale, (1 - self.mean) / self.scale)
                known = levels_of(features[group["feature"]]) or []
                return {"feature": group["feature"], "codes": {level: on if level == own else off for level in known}, **gap}
        if self.levels is None:
            scale = {} if not self.steps else {"mean": self.mean, "scale": self.scale}
            return {"feature": name, **scale, **gap}
        levels = levels_of(features[name])
        if levels is None:
            raise Unsupported(f"{name} has no levels")
        if form.columns[self.column].twins:
            raise Unsupported(f"levels of {name} look alike")
        return {"feature": name, "codes": self._codes(levels), **gap}

    def _codes(self, levels: Sequence[str]) -> dict[str, float]:
        assert self.levels is not None
        codes = {level: self.levels.get(level, self._word(level)) for level in levels}
        if strange := [level for level, code in codes.items() if code is None or math.isnan(code)]:
            raise Unsupported(f"it does not know the level {strange[0]!r}")
        return {level: float(code) for level, code in codes.items() if code is not None}

    def _word(self, level: str) -> float | None:
        """A column of yes and no is read as one of true and false."""
        words = {"true": ("yes", "Yes", "YES", "True", "TRUE", "1"), "false": ("no", "No", "NO", "False", "FALSE", "0")}
        assert self.levels is not None
        return next((self.levels[word] for word in words.get(level, ()) if word in self.levels), self.other)


def first_inputs(form: Form, model: Any = None) -> list[Input]:
    """The columns as they are; those the model names, in its order, where it does."""
    own = [Input(k, text=not column.numeric) for k, column in enumerate(form.columns)]
    named = names_in(model, [column.label for column in form.columns])
    return own if named is None else [own[form.place(name)] for name in named]


def through(inputs: list[Input], model: Any) -> tuple[list[Input], Any]:
    """The inputs of the last step of a pipeline, and that step; of a search or a threshold, those of what it found."""
    found = getattr(model, "best_estimator_", getattr(model, "estimator_", None) if type(model).__name__ in _THRESHOLDS else None)
    if found is not None:
        return through(inputs, found)
    if type(model).__name__ == "Pipeline":
        for _, step in model.steps[:-1]:
            inputs = transformed(inputs, step)
        return through(inputs, model.steps[-1][1])
    return inputs, model


_THRESHOLDS = ("FixedThresholdClassifier", "TunedThresholdClassifierCV")


def transformed(inputs: list[Input], step: Any) -> list[Input]:
    """The inputs after a transformer that was fitted on them."""
    name = type(step).__name__
    if step is None or step == "passthrough":
        return inputs
    if name == "FunctionTransformer" and (step.func is None or _checks(step.func)):
        return inputs  # as the histogram boosting of scikit-learn has one before itself
    if name not in _TRANSFORMERS:
        raise Unsupported
    return _TRANSFORMERS[name](inputs, step)


def _checks(function: Any) -> bool:
    return getattr(getattr(function, "func", function), "__name__", "") == "check_array"


def _pipeline(inputs: list[Input], step: Any) -> list[Input]:
    for _, part in step.steps:
        inputs = transformed(inputs, part)
    return inputs


def _columns(inputs: list[Input], step: Any) -> list[Input]:
    names = [str(name) for name in getattr(step, "feature_names_in_", [])]
    out: list[Input] = []
    for _, part, chosen in step.transformers_:
        places = _places(chosen, names, len(inputs))
        if len(places) and not (isinstance(part, str) and part == "drop"):
            out += transformed([inputs[k] for k in places], part)
    return out


def _places(chosen: Any, names: Sequence[str], count: int) -> list[int]:
    if isinstance(chosen, slice):
        if isinstance(chosen.start, str) or isinstance(chosen.stop, str):  # names, the last one included
            first, last = (None if one is None else names.index(one) for one in (chosen.start, chosen.stop))
            return list(range(count))[first : None if last is None else last + 1 : chosen.step]
        return list(range(count))[chosen]
    many = [chosen] if isinstance(chosen, (str, int, np.integer)) else list(chosen)
    if many and isinstance(many[0], (bool, np.bool_)):
        return [k for k, flag in enumerate(many) if flag]
    return [names.index(one) if isinstance(one, str) else int(one) % count for one in many]


def _standard(inputs: list[Input], step: Any) -> list[Input]:
    mean = step.mean_ if step.with_mean else np.zeros(len(inputs))
    scale = step.scale_ if step.with_std else np.ones(len(inputs))
    return [one.scaled(float(m), float(s)) for one, m, s in zip(inputs, mean, scale)]


def _minmax(inputs: list[Input], step: Any) -> list[Input]:
    if getattr(step, "clip", False):
        raise Unsupported
    told = zip(inputs, step.min_.tolist(), step.scale_.tolist())
    return [one.scaled(-m / s, 1 / s, _times_plus(s, m)) for one, m, s in told]


def _times_plus(factor: float, shift: float) -> Step:
    return lambda v: v * factor + shift


def _robust(inputs: list[Input], step: Any) -> list[Input]:
    mean = step.center_ if step.with_centering else np.zeros(len(inputs))
    scale = step.scale_ if step.with_scaling else np.ones(len(inputs))
    return [one.scaled(float(m), float(s)) for one, m, s in zip(inputs, mean, scale)]


def _maxabs(inputs: list[Input], step: Any) -> list[Input]:
    return [one.scaled(0.0, float(s)) for one, s in zip(inputs, step.scale_)]


def _imputed(inputs: list[Input], step: Any) -> list[Input]:
    gap = step.missing_values
    if not (gap is None or (isinstance(gap, float) and math.isnan(gap)) or str(gap) == "<NA>"):
        raise Unsupported
    out = []
    for one, value in zip(inputs, step.statistics_):
        if one.text and one.levels is None:
            out.append(one if one.fill is not None else replace(one, fill=_text(value)))
        elif math.isnan(float(value)):
            if not getattr(step, "keep_empty_features", False):
                raise Unsupported
            out.append(one)
        else:
            out.append(replace(one, missing=float(value)) if math.isnan(one.missing) else one)
    return out if step.indicator_ is None else out + [_is_gap(inputs[k]) for k in step.indicator_.features_]


def _is_gap(one: Input) -> Input:
    """1 where a cell is missing, else 0."""
    missing = float(_of_gap(one) is None)
    if one.text or one.levels is not None:
        return Input(one.column, one.text, levels={}, other=0.0, missing=missing)
    return Input(one.column, scale=FLAT, missing=missing, steps=(lambda v: 0 * v,))


def _onehot(inputs: list[Input], step: Any) -> list[Input]:
    out = []
    for k, one in enumerate(inputs):
        places, rare = _ordered(one, step, k)
        drop = None if step.drop_idx_ is None else step.drop_idx_[k]
        if rare is not None and not hasattr(step, "_drop_idx_after_grouping"):  # before 1.2.2 it counted rare ones as one
            dropped = drop
        else:
            dropped = None if drop is None else places[_level(step.categories_[k][drop])]
        unknown = rare if step.handle_unknown == "infrequent_if_exist" else None
        gap = places.get(_of_gap(one), unknown)
        for place in sorted({*places.values()} - {dropped}):
            levels = {level: float(at == place) for level, at in places.items() if level is not None}
            other = None if step.handle_unknown == "error" else float(unknown == place)
            out.append(Input(one.column, one.text, levels=levels, other=other, missing=float(gap == place)))
    return out


def _ordinal(inputs: list[Input], step: Any) -> list[Input]:
    out = []
    for k, one in enumerate(inputs):
        if one.levels is not None and math.isnan(one.missing):  # ordered before, as histogram boosting does again
            codes = {float(value): float(place) for place, value in enumerate(step.categories_[k]) if not _gap(value)}
            again = {level: codes[code] for level, code in one.levels.items() if code in codes}
            out.append(replace(one, levels=again, other=None))
            continue
        places, _ = _ordered(one, step, k, gaps=False)
        levels = {str(level): float(place) for level, place in places.items()}
        unknown = float(step.unknown_value) if step.handle_unknown == "use_encoded_value" else None
        gaps = [place for place, value in enumerate(step.categories_[k]) if _gap(value)]
        own = getattr(step, "encoded_missing_value", math.nan) if gaps else unknown
        if gaps and step.categories_[k][gaps[0]] is None:  # None is a level like others, only NaN is a gap
            own = float(gaps[0])
        missing = own if (of_gap := _of_gap(one)) is None else levels.get(of_gap, unknown)
        out.append(Input(one.column, one.text, levels=levels, other=unknown, missing=math.nan if missing is None else float(missing)))
    return out


def _ordered(one: Input, step: Any, k: int, gaps: bool = True) -> tuple[dict[str | None, int], int | None]:
    """The place of each category among those of an encoder, and that of rare ones, which share the last; None is a gap."""
    if one.levels is not None or one.steps:  # levels are told from cells, not from what became of them
        raise Unsupported
    rare = {_level(value) for value in _rare(step, k)}
    texts = [_level(value) for value in step.categories_[k] if gaps or not _gap(value)]
    often = [text for text in texts if text not in rare]
    last = len(often) if rare else None
    return {text: often.index(text) if last is None or text not in rare else last for text in texts}, last


def _rare(step: Any, k: int) -> Sequence[Any]:
    found = getattr(step, "infrequent_categories_", None)
    return [] if found is None or found[k] is None else list(found[k])


def _level(value: Any) -> str | None:
    return None if _gap(value) else _text(value)


def _of_gap(one: Input) -> str | None:
    """The level a gap is by now; None: still a gap."""
    if one.fill is not None:
        return one.fill
    return None if math.isnan(one.missing) else _text(one.missing)


def _gap(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


_TRANSFORMERS: Mapping[str, Callable[[list[Input], Any], list[Input]]] = {
    "Pipeline": _pipeline,
    "ColumnTransformer": _columns,
    "StandardScaler": _standard,
    "MinMaxScaler": _minmax,
    "RobustScaler": _robust,
    "MaxAbsScaler": _maxabs,
    "SimpleImputer": _imputed,
    "OneHotEncoder": _onehot,
    "OrdinalEncoder": _ordinal,
}

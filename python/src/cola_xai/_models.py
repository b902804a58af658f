"""The caller's model: its outputs, and its scores of rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ._errors import ColaError

Scores = np.ndarray[Any, Any]


class Scored:
    """A model as a function from rows to one column of scores per output."""

    def __init__(self, model: Any, outputs: Sequence[str] | None, timeout: float | None) -> None:
        self.model = model
        self._timeout = timeout
        self._predict, known = _predictor(model)
        #: Names of the outputs; None until a function has answered for the first time.
        self.outputs: list[str] | None = [str(name) for name in outputs] if outputs else known
        #: Scores are distances from a boundary at 0 between these two classes.
        self.boundary = _boundary(model) if self.outputs == ["score"] else None

    def __call__(self, rows: Any) -> Scores:
        named = names_in(self.model, list(rows.columns)) if isinstance(rows, pd.DataFrame) else None
        rows = rows if named is None else rows[named]
        scores = self._predict(rows) if self._timeout is None else self._in_time(rows, self._timeout)
        return np.asarray(scores, dtype="float64").reshape(len(scores), -1)

    def named(self, rows: Any) -> list[str]:
        """The names of the outputs; a function is asked about a few rows to see how many it has."""
        if self.outputs is None:
            width = self(rows).shape[1]
            self.outputs = ["score"] if width == 1 else [str(k) for k in range(width)]
        return self.outputs

    def _in_time(self, rows: Any, seconds: float) -> Any:
        """A model that hangs is left behind in a thread of its own."""
        box: list[Any] = []

        def run() -> None:
            try:
                box.append((self._predict(rows), None))
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
                box.append((None, error))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds)
        if not box:
            raise ColaError("PREDICT_TIMEOUT", f"The model did not answer within model_timeout = {seconds:g} s.")
        scores, error = box[0]
        if error is not None:
            raise error
        return scores


def _predictor(model: Any) -> tuple[Callable[[Any], Any], list[str] | None]:
    library = type(model).__module__.split(".")[0]
    if library == "xgboost" and type(model).__name__ == "Booster":
        import xgboost

        return (lambda rows: model.predict(xgboost.DMatrix(rows, enable_categorical=True))), None
    if library == "lightgbm" and type(model).__name__ == "Booster":
        return model.predict, None
    if callable(getattr(model, "predict_proba", None)):
        classes = getattr(model, "classes_", None)
        return model.predict_proba, [name_of(c) for c in classes] if classes is not None else None
    if callable(getattr(model, "decision_function", None)):
        classes = getattr(model, "classes_", [])
        many = [name_of(c) for c in classes] if len(classes) > 2 else ["score"]
        return model.decision_function, many
    if callable(getattr(model, "predict", None)):
        classes = getattr(model, "classes_", None)
        if classes is None:
            return model.predict, ["score"]
        return (lambda rows: np.asarray(model.predict(rows))[:, None] == np.asarray(classes)), [name_of(c) for c in classes]
    if callable(model):
        return model, None
    raise ColaError("OPTION_INVALID", f"A model has predict_proba, predict or is a function of rows; {type(model).__name__} has none.")


def _boundary(model: Any) -> list[str] | None:
    if callable(getattr(model, "predict_proba", None)) or not callable(getattr(model, "decision_function", None)):
        return None
    classes = getattr(model, "classes_", None)
    return [name_of(c) for c in classes] if classes is not None and len(classes) == 2 else None


def name_of(label: Any) -> str:
    """A class as the engine calls it."""
    value = label.item() if isinstance(label, np.generic) else label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def target_of(target: Any, scored: Scored) -> str | None:
    """The goal as the engine reads it; a class of a model that tells distances is a side of its boundary."""
    if target is None:
        return None if scored.boundary is None else "score > 0"
    text = target if isinstance(target, str) else name_of(target)
    if scored.boundary and text in scored.boundary:
        return "score > 0" if text == scored.boundary[1] else "score < 0"
    return text


def names_in(model: Any, columns: Sequence[Any]) -> list[Any] | None:
    """The columns a model was trained on, where it tells them and they are others than those of a table that has them."""
    known = getattr(model, "feature_names_in_", None)
    named = [] if known is None else list(known)
    return named if named and named != list(columns) and set(named) <= set(columns) else None


def sample(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Rows spread evenly over a table."""
    if len(frame) <= most:
        return frame
    return frame.iloc[np.linspace(0, len(frame) - 1, most).astype("int64")]

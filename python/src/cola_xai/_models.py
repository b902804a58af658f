"""The caller's model: its outputs, and its scores of rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
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
        classes = getattr(model, "classes_", None)
        if isinstance(classes, (list, tuple)) and len(classes) and np.ndim(classes[0]):
            raise ColaError("OPTION_INVALID", f"{type(model).__name__} answers {len(classes)} questions at once; give a function of the scores of one.")
        #: The classes of the model by their names.
        self.labels: dict[str, Any] = {name_of(label): label for label in (() if classes is None else classes)}
        #: Names of the outputs; None until a function has answered for the first time.
        self.outputs: list[str] | None = [str(name) for name in outputs] if outputs else known
        #: Where the scores are on which a model says its first class and its second; None: it says that with the higher score.
        self.sides = _sides(model) if outputs is None else None

    def __call__(self, rows: Any) -> Scores:
        rows = self._own(rows)
        scores = self._predict(rows) if self._timeout is None else self._in_time(rows, self._timeout)
        return np.asarray(scores, dtype="float64").reshape(len(scores), -1)

    def _own(self, rows: Any) -> Any:
        """The columns the model was trained on, in its order."""
        named = names_in(self.model, list(rows.columns)) if isinstance(rows, pd.DataFrame) else None
        return rows if named is None else rows[named]

    def others(self, rows: Any) -> int:
        """Of how many rows the model says another class than the one with the highest score."""
        if self.sides or len(self.labels) < 2 or self._predict != getattr(self.model, "predict_proba", None):
            return 0
        try:
            said = np.asarray(list(self.labels.values()))[np.argmax(self(rows), axis=1)]
            return int(np.sum(said != np.asarray(self.model.predict(self._own(rows))).ravel()))
        except Exception:  # noqa: BLE001 - a model that fails says so when it is asked for plans
            return 0

    def named(self, tables: Iterable[Any]) -> list[str]:
        """The names of the outputs; a function is asked about rows, until it answers, to see how many it has."""
        failure: Exception | None = None
        for rows in tables if self.outputs is None else ():
            try:
                width = self(rows).shape[1]
            except ColaError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever a model raises
                failure = failure or error
            else:
                self.outputs = ["score"] if width == 1 else [str(k) for k in range(width)]
                break
        if self.outputs is None:
            what = f"The model failed on rows of all parts of the training rows: {type(failure).__name__}: {failure}"
            raise ColaError("PREDICT_FAILED", what[:500]) from failure
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
    classes = getattr(model, "classes_", None)
    if callable(getattr(model, "predict_proba", None)):
        return model.predict_proba, [name_of(c) for c in classes] if classes is not None else None
    if callable(getattr(model, "decision_function", None)):
        many = [] if classes is None else [name_of(c) for c in classes]
        return model.decision_function, many if len(many) > 2 else ["score"]
    if callable(getattr(model, "predict", None)):
        if classes is None or len(classes) == 0:  # CatBoost's regressors have none
            return model.predict, ["score"]
        return (lambda rows: np.asarray(model.predict(rows))[:, None] == np.asarray(classes)), [name_of(c) for c in classes]
    if callable(model):
        return model, None
    raise ColaError("OPTION_INVALID", f"A model has predict_proba, predict or is a function of rows; {type(model).__name__} has none.")


def _sides(model: Any) -> tuple[str, str] | None:
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) != 2:
        return None
    if not callable(getattr(model, "predict_proba", None)):
        return ("score < 0", "score > 0") if callable(getattr(model, "decision_function", None)) else None
    threshold, second = getattr(model, "best_threshold_", getattr(model, "threshold", None)), getattr(model, "pos_label", None)
    if not isinstance(threshold, float) or not hasattr(model, "estimator_"):
        return None
    sides = f"< {float(threshold)!r}", f">= {float(threshold)!r}"
    if second is None or second == classes[1]:
        return f"score {sides[0]}", f"score {sides[1]}"
    return f"{name_of(second)} {sides[1]}", f"{name_of(second)} {sides[0]}"


def name_of(label: Any) -> str:
    """A class as the engine calls it."""
    value = label.item() if isinstance(label, np.generic) else label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def target_of(target: Any, scored: Scored) -> str | None:
    """The goal as the engine reads it; a class that a model says on one side of a score is that side."""
    if target is None:
        return None if scored.sides is None else scored.sides[1]
    if isinstance(target, (list, tuple, set, np.ndarray)):
        raise ColaError("TARGET_INVALID", f"A target is one class, or a text that joins several, as \"good or fair\"; not {target!r}.")
    text = name_of(target)
    if not isinstance(target, str) and text not in scored.labels:  # 1 of False and True
        text = next((name for name, label in scored.labels.items() if label == target), text)
    if scored.sides is None or text not in scored.labels:
        return text
    return scored.sides[list(scored.labels).index(text)]


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

"""A study: a model, rows to learn and borrow from, a goal and constraints; asked about rows as often as wanted."""

from __future__ import annotations

import re
import warnings
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._engine import Engine, engine
from ._errors import ColaError
from ._frames import Frame
from ._models import Scored, sample, target_of
from ._progress import progress_bar
from ._result import Result
from ._tables import Form, frame_of, read_table, scores_ipc
from .structures import Structure, Unsupported, structure_of

#: Rows on which a structure must give the scores of its object before it is used.
CHECKED_ROWS = 1000
#: Rows on which its class must be the one with the highest score.
LABELLED_ROWS = 200
#: Largest difference, and that of libraries that score in float32: their last bit.
TOLERANCE = 1e-9
FLOAT32 = 2.0**-22
#: Options of table files: here the columns are those of the model, and the index names the rows.
OF_FILES = {"label", "id", "exclude", "date_parts"}


class Study:
    """
    Everything but the rows to explain. `beside`: other rows, whose levels are known too, and nothing else of them. `options` are those of the command line (docs/CLI.md) in snake case: `freeze`,
    `vary`, `alternatives`, `values`, `objective`, `generator`, `seed`, `timeout`, `locale`, …
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        target: Any = None,
        constraints: Mapping[str, Any] | None = None,
        outputs: Sequence[str] | None = None,
        beside: Any = None,
        structure: bool = True,
        model_timeout: float | None = None,
        progress: bool | None = None,
        **options: Any,
    ) -> None:
        self.model = model
        self._beside = None if beside is None else frame_of(beside)
        self._form = Form(data, self._beside)
        self._data = frame_of(data)
        self._scored = Scored(model, outputs, model_timeout)
        self._target = target
        if constraints is not None and not isinstance(constraints, Mapping):
            raise ColaError("OPTION_INVALID", f"Constraints are a dictionary, not {type(constraints).__name__}.")
        self._constraints = dict(constraints) if constraints else None
        if refused := sorted(OF_FILES & options.keys()):
            raise ColaError("OPTION_INVALID", f"{refused[0]} is an option of files: leave columns out of the rows, and name rows by their index.")
        self._options = {_camel(name): _plain(value) for name, value in options.items() if value is not None}
        self._wanted = structure
        self._progress = progress
        self._places = _places()
        self._columns: Sequence[Mapping[str, Any]] = []
        self._fell_back: str | None = None
        #: Dtypes whose numbers the structure tells from doubles beside them; a model that is asked is asked in its own.
        self._wide: tuple[str, ...] = ()
        #: What the engine knows of the inside of the model: trees, linear, another structure, or None for questions.
        self.structure: str | None = None
        #: What was decided while reading the table, for people.
        self.notes: list[str] = []
        #: The columns as the engine reads them.
        self.schema: dict[str, Any] = {}
        self._open(engine())
        rows = sample(self._data, LABELLED_ROWS)
        if others := self._scored.others(self._form.native(rows)):
            what = f"{type(model).__name__}.predict says another class than its own scores for {others} of {len(rows)} training rows"
            warnings.warn(f"{what}; plans follow the scores.", stacklevel=2)

    def explain(self, rows: Any) -> Result:
        """The few edits that lead each row to the goal. Ctrl-C gives the rows that are done."""
        return self._explain(rows, {}, {})

    def refine(self, rows: Any, counterfactuals: Any) -> Result:
        """The few edits that counterfactuals of another tool need; see `cola_xai.refine`."""
        from ._functions import counterfactual_part

        told, part = counterfactual_part(self._form, rows, counterfactuals)
        return self._explain(rows, told, {"counterfactuals": part})

    def score(self, rows: Any) -> pd.DataFrame:
        """The model's scores as the engine has them."""
        frame = self._request("score", {}, {"rows": self._form.arrow(rows)})
        scores = pd.DataFrame(read_table(frame.parts["scores"]).to_pandas())
        return scores.set_axis(self._form.index_of(rows), axis=0)

    def lines(self, rows: Any, *, ids: bool = True) -> list[str]:
        """What `cola pipe` prints of each row: JSON that is the same whatever rows are asked together. `ids`: with the index."""
        frame = self._request("lines", {}, {"rows": self._form.arrow(rows, ids)})
        return frame.parts["lines"].decode().splitlines()

    def save(self, path: str | Path) -> None:
        """One file for `cola pipe --study`; the model must be a structure, for questions end with this process."""
        Path(path).write_bytes(self.saved())

    def saved(self) -> bytes:
        return self._request("save", {}, {}).parts["study"]

    def __del__(self) -> None:
        for one, (start, study) in list(getattr(self, "_places", {}).items()):
            if start == one.generation:
                one.post("close", {"study": study})

    def _explain(self, rows: Any, told: Mapping[str, Any], parts: Mapping[str, bytes]) -> Result:
        with progress_bar(self._progress) as report:
            frame = self._request("explain", told, {"rows": self._form.arrow(rows), **parts}, report)
        locale = self._options.get("locale", "en")
        result = Result(frame, self._form, frame_of(rows), locale, self._scored.labels, self._wide)
        if result.stopped:
            warnings.warn(f"Stopped: {frame['done']} of {len(result)} rows are explained, the others were not reached.", stacklevel=3)
        return result

    def _request(self, kind: str, told: Mapping[str, Any], parts: Mapping[str, bytes], report: Any = None) -> Frame:
        one = engine()
        start = one.ensure()
        if self._places.get(one, (-1, ""))[0] != start:
            self._open(one)
        return self._ask(one, kind, told, parts, report)

    def _ask(
        self, one: Engine, kind: str, told: Mapping[str, Any], parts: Mapping[str, bytes] | None = None, report: Any = None
    ) -> Frame:
        return one.request(kind, {"study": self._places[one][1], **told}, parts, self._answer, report)

    def _open(self, one: Engine) -> None:
        """Opens the study in an engine: the first of a thread, or one that was started again."""
        structure = structure_of(self.model, self._form, self._data) if self._wanted and not self._fell_back else None
        options = {**self._options, "id": self._form.id}
        target = target_of(self._target, self._scored)
        if target is not None:
            options["target"] = target
        kinds = {c.name: c.kind() for c in self._form.columns if c.kind()}
        for name in structure.categorical if structure else ():
            kinds[name] = "categorical"
        opened = one.request(
            "open",
            {"options": options, "kinds": kinds, **({"constraints": self._constraints} if self._constraints else {})},
            {"table": self._form.arrow(self._data), **({} if self._beside is None else {"rows": self._form.arrow(self._beside)})},
        )
        self._places[one] = (one.generation, opened["study"])
        self.schema, self.notes = opened["schema"], list(opened["notes"])
        if structure and (made := self._structured(one, structure, opened)):
            self.notes += made["notes"]
            return
        self.structure = None
        few = sample(self._data, 16)
        tables = [self._data.head(3), *(few.iloc[[k]] for k in range(len(few)))]
        self._model(one, {"outputs": self._scored.named(map(self._form.native, tables))})

    def _model(self, one: Engine, told: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> Frame:
        made = self._ask(one, "model", told, parts)
        self._columns = made["columns"]
        return made

    def _structured(self, one: Engine, structure: Structure, opened: Frame) -> Frame | None:
        """Hands the structure over, if it gives the scores of the object on the caller's own rows."""
        try:
            outputs = structure.outputs or self._scored.outputs
            encoding = {"encoding": structure.encoding(opened["schema"], opened["groups"])}
            told = {"file": structure.file, **encoding, **({"outputs": outputs} if structure.names_outputs else {})}
            made = self._model(one, told, {"model": structure.document()})
            rows = sample(self._data, CHECKED_ROWS)
            frame = self._ask(one, "score", {}, {"rows": self._form.arrow(rows)})
            ours = np.column_stack([c.to_numpy() for c in read_table(frame.parts["scores"]).columns])
            theirs = self._object(rows)
            gaps = np.abs(ours[:, -theirs.shape[1] :] - theirs)
            if (gaps <= _room(theirs, structure.single)).all():
                self.structure, self._wide = made["structure"] or structure.title, structure.wide
                return made
            why = f"its scores differ by {np.max(gaps):.2g} on the training rows"
        except (ColaError, Unsupported) as error:
            if isinstance(error, ColaError) and error.code == "TARGET_INVALID":
                raise
            why = str(error)
        self._fell_back = why
        warnings.warn(
            f"The {type(self.model).__name__} is asked as a black box: as a structure {why}. Plans then say what they are "
            "proven over.",
            stacklevel=4,
        )
        return None

    def _object(self, rows: pd.DataFrame) -> Any:
        try:
            return self._scored(self._form.native(rows))
        except Exception as error:  # noqa: BLE001 - it may fail on some rows only, which questions find out
            raise Unsupported(f"it cannot be compared: the object fails on training rows ({type(error).__name__}: {str(error)[:200]})") from error

    def _answer(self, frame: Frame) -> bytes:
        scores = self._scored(self._form.question(frame.parts["rows"], self._columns))
        return scores_ipc(scores, self._scored.outputs or [])

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_places"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._places = _places()

    def __repr__(self) -> str:
        how = self.structure or "asked row by row"
        return f"<cola_xai.Study of {type(self.model).__name__} ({how}), {len(self._data)} rows, {len(self._form.columns)} columns>"


def _places() -> weakref.WeakKeyDictionary[Engine, tuple[int, str]]:
    """Where a study is open: by engine, which start of it, and its name there."""
    return weakref.WeakKeyDictionary()


def _room(scores: np.ndarray[Any, Any], single: bool) -> Any:
    """By row: a small share is one minus a large one, and no nearer."""
    return np.maximum(TOLERANCE, (FLOAT32 if single else TOLERANCE) * np.abs(scores).max(axis=1, keepdims=True))


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, (tuple, set, pd.Index, pd.Series, np.ndarray)) else value

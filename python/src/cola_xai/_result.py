"""What was found: plans, edits and reasons as data frames, the report, and the files other tools read."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ._engine import engine
from ._errors import ColaError
from ._frames import Frame
from ._tables import Column, Form, read_table


class Result:
    """The explanation of some rows. In a notebook it shows itself as the report."""

    def __init__(self, frame: Frame, form: Form, rows: pd.DataFrame, locale: str, labels: Mapping[str, Any], wide: tuple[str, ...]) -> None:
        self._parts = dict(frame.parts)
        self._form = form
        self._rows = rows.iloc[list(frame["chosen"])]
        self._locale = locale
        self._labels = labels
        self._wide = wide
        #: Was it stopped before every row was explained?
        self.stopped: bool = frame["stopped"]
        #: What a person should know of the rows.
        self.notes: list[str] = list(frame["notes"])

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def explanation(self) -> dict[str, Any]:
        """Everything, as the engine writes explanation.json."""
        return dict(json.loads(self._parts["explanation"]))

    @cached_property
    def _z(self) -> pd.DataFrame:
        return pd.DataFrame(read_table(self._parts["plans"]).to_pandas())

    @cached_property
    def plans(self) -> Any:
        """
        One line per row, in the order and with the index of the caller: status, valid, score and label of the plan (with a
        `_` in front where a column of the table is called so), then the columns of the table as the plan has them, in the
        caller's dtypes and library.
        """
        return self._plans if self._form.library == "numpy" else self._form.native(self._plans)

    @cached_property
    def _plans(self) -> pd.DataFrame:
        told = list(self._z.columns[2 : self._z.shape[1] - len(self._form.columns)])
        made: dict[Any, Any] = {name: self._z[name].array for name in told}
        made[told[3]] = pd.Series([self._labels.get(name, name) for name in self._z[told[3]]]).array
        for k, column in enumerate(self._form.columns):
            own = self._rows[column.label] if column.label in self._rows.columns else self._rows.iloc[:, k]
            made[column.label] = column.restore(_cells(self._z[column.name]), self._wide, own).set_axis(self._rows.index)
        return pd.DataFrame(made, index=self._rows.index)

    @cached_property
    def edits(self) -> pd.DataFrame:
        """One line per edit: of the plan, of the counterfactual but not needed, of an alternative."""
        table = self._long("edits")
        columns = [self._form.by_name(name) for name in table["feature"]]
        for side in ("from", "to"):
            cells = _cells(table[side])
            table[side] = pd.Series([_told(c, v) for c, v in zip(columns, cells)], index=table.index, dtype="object")
        return table

    @cached_property
    def reasons(self) -> pd.DataFrame:
        """One line per principal reason of a row."""
        return self._long("reasons")

    def _long(self, part: str) -> pd.DataFrame:
        table = pd.DataFrame(read_table(self._parts[part]).to_pandas())
        places = table["row"].to_numpy(dtype="int64")
        return table.drop(columns=["row", "id"], errors="ignore").set_axis(self._rows.index[places], axis=0)

    def report(self) -> str:
        """The report: one page that needs nothing else, also offline."""
        told = {"format": "html", "locale": self._locale}
        return engine().request("render", told, {"explanation": self._parts["explanation"]}).parts["file"].decode()

    def to_dice(self) -> dict[str, Any]:
        """The plans as DiCE writes its counterfactuals (`to_json`)."""
        told = {"format": "dice"}
        return dict(json.loads(engine().request("render", told, {"explanation": self._parts["explanation"]}).parts["file"]))

    def save(self, path: str | Path) -> None:
        """Writes the report (.html), the explanation (.json) or the plans (.csv, .parquet), whole or not at all."""
        target = Path(path)
        writers: dict[str, Any] = {
            ".html": lambda to: to.write_text(self.report(), encoding="utf-8"),
            ".json": lambda to: to.write_bytes(self._parts["explanation"]),
            ".csv": lambda to: self._plans.to_csv(to),
            ".parquet": lambda to: self._plans.to_parquet(to),
        }
        if target.suffix not in writers:
            raise ColaError("NAME_UNKNOWN", f"save writes {', '.join(writers)}; {target.name} ends with none of them.")
        part = target.with_name(f".{target.name}.part")
        try:
            writers[target.suffix](part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def __repr__(self) -> str:
        totals = self.explanation["totals"]
        return (
            f"<cola_xai.Result: {totals['valid']} of {totals['rows']} rows reach the goal with {totals['edits']} edits"
            f"{', stopped' if self.stopped else ''}>"
        )

    def _repr_html_(self) -> str:
        page = html.escape(self.report(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:720px;border:0" title="Report"></iframe>'


def _cells(series: Any) -> list[Any]:
    return [None if value is None or value != value else value for value in series]


def _told(column: Column | None, cell: Any) -> Any:
    return column.value(cell) if column else cell

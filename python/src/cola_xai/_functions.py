"""The stages for those who need one of them: refine, attribute, couple."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ._engine import engine
from ._errors import ColaError
from ._result import Result
from ._study import Study
from ._tables import Form, frame_of, read_table

if TYPE_CHECKING:
    import shap


def refine(model: Any, rows: Any, counterfactuals: Any, data: Any = None, **study: Any) -> Result:
    """
    The few edits that counterfactuals of another tool need: a result of DiCE (or its JSON), of Alibi (one explanation
    or a list), or a data frame of counterfactual rows. `data`: the training rows; default: `rows`.
    """
    known = frame_of(rows) if data is None else data
    found = _table_of(Form(known), rows, counterfactuals)
    return Study(model, known, **{"beside": _stacked(rows, found), **study}).refine(rows, counterfactuals)


def pshap(model: Any, rows: Any, references: Any, *, coupling: str | None = None, data: Any = None, **study: Any) -> shap.Explanation:
    """p-SHAP: how much each feature gives to f(x) − f(r), the references weighted by their coupling, for shap's plots."""
    import shap as library

    opened = Study(model, references if data is None else data, **{"beside": _stacked(rows, references), **study})
    form = opened._form
    told = {"coupling": coupling} if coupling else {}
    parts = {"rows": form.arrow(rows), "counterfactuals": form.arrow(references, ids=False)}
    frame = opened._request("attribute", told, parts)
    values = pd.DataFrame(read_table(frame.parts["values"]).to_pandas())
    base = read_table(frame.parts["base"]).column("base").to_numpy()
    return library.Explanation(
        values=values.to_numpy(),
        base_values=base,
        data=frame_of(rows).iloc[list(frame["chosen"])].to_numpy(),
        feature_names=list(values.columns),
    )


def couple(rows: Any, references: Any, *, coupling: str = "transport", data: Any = None, seed: int = 0) -> pd.DataFrame:
    """Which reference belongs to which row, by distance alone: entries with their mass; `attrs` has cost and gap."""
    known, beside = references if data is None else data, _stacked(rows, references)
    form = Form(known, beside)
    one = engine()
    kinds = {column.name: column.kind() for column in form.columns if column.kind()}
    tables = {"table": form.arrow(known), "rows": form.arrow(beside)}
    opened = one.request("open", {"options": {"id": form.id, "seed": seed}, "kinds": kinds}, tables)
    parts = {"rows": form.arrow(rows), "counterfactuals": form.arrow(references, ids=False)}
    frame = one.request("couple", {"study": opened["study"], "coupling": coupling}, parts)
    one.post("close", {"study": opened["study"]})
    entries = pd.DataFrame(read_table(frame.parts["entries"]).to_pandas()).astype({"row": "int64", "reference": "int64"})
    index, others = frame_of(rows).index, frame_of(references).index
    made = pd.DataFrame({"row": index[entries["row"]], "reference": others[entries["reference"]], "mass": entries["mass"]})
    made.attrs = {key: frame[key] for key in ("name", "cost", "gap", "converged", "iterations")}
    return made


def counterfactual_part(form: Form, rows: Any, given: Any) -> tuple[dict[str, str], bytes]:
    """Counterfactuals as the bridge takes them: another tool's JSON, or a table, with the row of each where it is known."""
    frame = _table_of(form, rows, given)
    if frame is not None:
        return {}, form.arrow(frame, ids=hasattr(given, "cf_examples_list"))
    return {"format": "json"}, _text([_alibi(one) for one in _many(given)] if _of_alibi(given) else given)


def _table_of(form: Form, rows: Any, given: Any) -> pd.DataFrame | None:
    """Counterfactuals as a table; None where they are the JSON of another tool."""
    if hasattr(given, "cf_examples_list"):
        return _dice(form, frame_of(rows), given.cf_examples_list)
    if _of_alibi(given) or isinstance(given, (str, dict)):
        return None
    try:
        frame = frame_of(given)
    except ColaError as error:
        raise ColaError("TABLE_INVALID", "Counterfactuals are a result of DiCE or Alibi, its JSON, or a table.") from error
    lost = [c.label for c in form.columns if c.label not in frame.columns]
    if lost:
        raise ColaError("SCHEMA_INVALID", f"The counterfactuals lack the columns {', '.join(map(str, lost[:8]))}.")
    return frame


def _many(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _of_alibi(given: Any) -> bool:
    return bool(many := _many(given)) and all(hasattr(one, "meta") and hasattr(one, "data") for one in many)


def _stacked(*tables: Any) -> pd.DataFrame:
    return pd.DataFrame(pd.concat([frame_of(table) for table in tables if table is not None]))


def _dice(form: Form, rows: pd.DataFrame, examples: list[Any]) -> pd.DataFrame:
    """DiCE answers for the rows in their order, each with a frame of its own."""
    labels = [column.label for column in form.columns]
    found = [
        frame[labels].set_axis([index] * len(frame), axis=0)
        for index, example in zip(rows.index, examples)
        if (frame := example.final_cfs_df) is not None and len(frame)
    ]
    if not found:
        raise ColaError("INPUT_EMPTY", "DiCE found no counterfactual for any row.")
    return pd.DataFrame(pd.concat(found))


def _alibi(explanation: Any) -> Any:
    return json.loads(explanation.to_json()) if callable(getattr(explanation, "to_json", None)) else explanation.__dict__


def _text(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, default=lambda v: v.tolist() if isinstance(v, np.ndarray) else str(v)).encode()

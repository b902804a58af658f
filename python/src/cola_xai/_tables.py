"""The caller's tables as Arrow for the engine, and the engine's cells in the caller's columns, index and dtypes again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ._errors import ColaError


@dataclass(frozen=True)
class Column:
    """One column of the caller: its label, its dtype, and which value each text of it stands for."""

    label: Any
    name: str
    dtype: Any
    numeric: bool
    values: Mapping[str, Any]
    #: A missing cell of a column of texts: the empty text, where a column has that instead.
    gap: Any = None
    #: Names of values that look like others once blanks are cut off and yes is true, by their literals.
    twins: Mapping[str, str] = field(default_factory=dict)

    def text(self, value: Any) -> str:
        """The name of a level: its text, or its literal where the engine would take it for another level."""
        plain = _text(value)
        known = self.values.get(plain, self.values.get(_meant(plain), value))
        other = isinstance(value, str) and isinstance(known, str) and known != value
        return self.twins.get(_literal(value), _literal(value) if other else plain) if other or self.twins else plain

    def kind(self) -> str | None:
        """What the engine cannot see in the cells: a column of categories may hold numbers."""
        return None if self.numeric else "categorical"

    def restore(self, cells: Iterable[Any], wide: tuple[str, ...], own: pd.Series) -> pd.Series:
        """
        Cells as the engine writes them, in the dtype of the caller, but doubles where a `wide` one cannot hold them; those
        that are as they were, in the caller's `own` rows, to the last digit: the engine has doubles.
        """
        if self.numeric:
            numbers = pd.Series([_number(cell) for cell in cells], dtype="float64")
            cast = _as_dtype(numbers, self.dtype)
            if own.dtype == cast.dtype and (own.dtype == object or pd.api.types.is_integer_dtype(own.dtype)):
                was = own.set_axis(cast.index, axis=0)
                return cast.where(numbers != pd.to_numeric(was, errors="coerce").astype("float64"), was)
            return numbers if str(self.dtype).lower().startswith(wide) and not cast.astype("float64").equals(numbers) else cast
        texts = [self.gap if cell is None else self.values.get(_text(cell), cell) for cell in cells]
        return _as_dtype(pd.Series(texts, dtype="object"), self.dtype)

    def value(self, cell: Any) -> Any:
        """One cell in the caller's terms."""
        if cell is None or cell == "":
            return self.gap
        if not self.numeric:
            return self.values.get(_text(cell), cell)
        number = _number(cell)
        if pd.api.types.is_bool_dtype(self.dtype):
            return bool(number)
        return int(number) if pd.api.types.is_integer_dtype(self.dtype) and number == int(number) else number

    def of_codes(self, codes: np.ndarray[Any, Any], levels: Sequence[str] | None) -> Any:
        """Codes of a question as the column the model was trained on."""
        if self.numeric or levels is None:
            return codes if codes.dtype == self.dtype else _as_dtype(pd.Series(codes), self.dtype)
        known = np.array([self.values.get(level, level) for level in levels] + [self.gap], dtype="object")
        places = np.where(np.isnan(codes), len(levels), codes).astype("int64")
        return _as_dtype(pd.Series(known[places]), self.dtype)


def _number(cell: Any) -> float:
    if cell is None or cell == "":
        return float("nan")
    return {"true": 1.0, "false": 0.0}.get(cell, None) if cell in ("true", "false") else float(cell)  # type: ignore[return-value]


def _text(cell: Any) -> str:
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return str(int(cell))
    return str(cell).strip()


def _meant(text: str) -> str:
    """A column of yes and no is read as one of true and false."""
    return {"yes": "true", "no": "false"}.get(text.lower(), text.lower() if text.lower() in BOOLEAN_LEVELS else text)


def _literal(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def _as_dtype(series: pd.Series, dtype: Any) -> pd.Series:
    """The dtype of the caller, as far as it can hold the values: a gap among integers stays a float."""
    if series.isna().any() and (pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_integer_dtype(dtype)):
        if isinstance(dtype, np.dtype):
            return series
    try:
        return series.astype(dtype)
    except (TypeError, ValueError):
        return series


def frame_of(data: Any) -> pd.DataFrame:
    """Any table of the caller as a data frame: pandas, polars, numpy, Arrow, or a list of records."""
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, pd.Series):
        return data.to_frame().T.infer_objects()
    if isinstance(data, (pa.Table, pa.RecordBatch)):
        return pd.DataFrame(data.to_pandas())
    if type(data).__module__.startswith("polars"):
        collected = data.collect() if hasattr(data, "collect") else data
        return pd.DataFrame(collected.to_pandas())
    array = np.asarray(data)
    if array.ndim == 2 and array.dtype.kind in "biufO":
        return pd.DataFrame(array)
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return pd.DataFrame(data)
    raise ColaError(
        "TABLE_INVALID",
        f"Rows must be a data frame (pandas, polars), an Arrow table or an array of two dimensions, not {type(data).__name__}"
        f"{f' of {array.ndim} dimensions' if isinstance(data, np.ndarray) else ''}.",
    )


class Form:
    """How the caller's tables look: the columns of the training rows, which every other table has too."""

    def __init__(self, data: Any, beside: pd.DataFrame | None = None) -> None:
        frame = frame_of(data)
        if len(frame) == 0 or frame.shape[1] == 0:
            raise ColaError("INPUT_EMPTY", f"The training rows have {len(frame)} rows and {frame.shape[1]} columns; give some.")
        names = [str(label) if not isinstance(label, int) else f"x{label}" for label in frame.columns]
        _once(names)
        others = {} if beside is None else {label: beside[label] for label in frame.columns if label in beside.columns}
        self.columns = [_column(label, name, frame[label], others.get(label)) for label, name in zip(frame.columns, names)]
        #: pandas, polars, arrow or numpy: what models are asked in and frames are returned as.
        self.library = _library(data)
        self._schema: Any = getattr(data, "collect_schema", lambda: getattr(data, "schema", None))()
        #: Name of the column with the caller's index.
        self.id = _free("id", names)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def arrow(self, data: Any, ids: bool = True) -> bytes:
        """A table of the caller for the engine: numbers, yes/no and texts, and the index as the id."""
        frame = frame_of(data)
        if len(frame) == 0:
            raise ColaError("INPUT_EMPTY", "There are no rows; give at least one.")
        lost = [column.label for column in self.columns if column.label not in frame.columns]
        if lost and len(frame.columns) == len(self.columns) and self.library == "numpy":
            frame = frame.set_axis([column.label for column in self.columns], axis=1)
        elif lost:
            raise ColaError("SCHEMA_INVALID", f"The rows lack the columns {', '.join(map(str, lost[:8]))} of the training rows.")
        _once([label for label in frame.columns if any(label == column.label for column in self.columns)])
        arrays = [_arrow(frame[column.label], column) for column in self.columns]
        names = self.names
        if ids:
            index = frame.index
            plain = pd.api.types.is_numeric_dtype(index.dtype)
            arrays.append(pa.array(index.astype("float64") if plain else [str(i) for i in index]))
            names = [*names, self.id]
        return ipc(pa.table(arrays, names=names))

    def question(self, rows: bytes, columns: Sequence[Mapping[str, Any]]) -> Any:
        """The rows of a question as the model was trained on."""
        table = pa.ipc.open_stream(rows).read_all()
        levels = {column["name"]: levels_of(column) for column in columns}
        made = {}
        for column in self.columns:
            codes = table.column(column.name).to_numpy(zero_copy_only=False)
            made[column.label] = column.of_codes(codes, levels.get(column.name))
        frame = pd.DataFrame(made, columns=[column.label for column in self.columns])
        return self.native(frame)

    def native(self, frame: pd.DataFrame) -> Any:
        """A data frame in the library of the caller, with the types of its columns there."""
        if self.library == "numpy":
            return frame.to_numpy()
        if self.library == "pandas":
            return frame
        typed = [c.name for c in self.columns if frame[c.label].dtype == c.dtype or not pd.api.types.is_float_dtype(c.dtype)]
        if self.library == "polars":
            import polars

            return polars.from_pandas(frame).cast({name: self._schema[name] for name in typed}, strict=False)
        plain = pa.Schema.from_pandas(frame.drop(columns=typed), preserve_index=False)
        fields = [self._schema.field(name) if name in typed else plain.field(name) for name in frame.columns]
        return pa.Table.from_pandas(frame, schema=pa.schema(fields), preserve_index=False, safe=False)

    def index_of(self, data: Any) -> pd.Index:
        return frame_of(data).index

    def place(self, label: Any) -> int:
        return next(k for k, column in enumerate(self.columns) if column.label == label)

    def by_name(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


#: How the levels of a yes/no column are written.
BOOLEAN_LEVELS = ("false", "true")


def levels_of(feature: Mapping[str, Any]) -> Sequence[str] | None:
    """Names of the codes of a feature of the engine's schema."""
    if feature.get("categories"):
        return list(feature["categories"])
    return BOOLEAN_LEVELS if feature["kind"] == "boolean" else None


def ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def read_table(part: bytes) -> pa.Table:
    return pa.ipc.open_file(part).read_all() if part[:6] == b"ARROW1" else pa.ipc.open_stream(part).read_all()


def scores_ipc(scores: np.ndarray[Any, Any], outputs: Sequence[str]) -> bytes:
    """Scores of a model as the engine reads them: one column per output."""
    array = np.asarray(scores, dtype="float64")
    array = array.reshape(len(array), -1)
    names = [f"o{k}" for k in range(array.shape[1])] if array.shape[1] != len(outputs) else list(outputs)
    return ipc(pa.table([pa.array(array[:, k]) for k in range(array.shape[1])], names=names))


def _column(label: Any, name: str, series: pd.Series, beside: pd.Series | None) -> Column:
    dtype = series.dtype
    numeric = bool(pd.api.types.is_numeric_dtype(dtype)) and not isinstance(dtype, pd.CategoricalDtype)
    if dtype == object:
        numeric = all(isinstance(value, (Real, Decimal)) and not isinstance(value, bool) for value in series.dropna())
    if numeric:
        return Column(label, name, dtype, True, {})
    try:
        seen = list(dtype.categories) if isinstance(dtype, pd.CategoricalDtype) else list(series.dropna().unique())
    except TypeError as error:
        raise ColaError("TABLE_INVALID", f"The column {label!r} holds cells that are neither numbers nor text ({error}); leave it out.") from error
    known = {_text(value) for value in seen}
    more = [] if beside is None else [value for value in beside.dropna().unique() if _text(value) not in known]
    if more and isinstance(dtype, pd.CategoricalDtype):
        dtype = pd.CategoricalDtype([*seen, *more], dtype.ordered)
    seen += more
    gaps = bool(series.isna().any())
    alike = Counter(_meant(_text(value)) for value in seen)
    several = {text for text, count in alike.items() if count > 1 or (gaps and text == "")}
    told = {_text(value): value for value in seen if _meant(_text(value)) not in several}
    values = {**{_meant(text): value for text, value in told.items()}, **told}
    twins: dict[str, str] = {}
    for value in seen:
        if _meant(_text(value)) in several:
            twins[_literal(value)] = level = _free(_literal(value), values)
            values[level] = value
    gap = series[series.isna()].iloc[0] if gaps and dtype == object else None if gaps else values.get("")
    return Column(label, name, dtype, False, values, gap, twins)


def _arrow(series: pd.Series, column: Column) -> pa.Array:
    if pd.api.types.is_bool_dtype(series.dtype) and column.numeric:
        return pa.array(series.to_numpy(dtype="bool", na_value=False) if not series.isna().any() else series.astype("float64"))
    missing = series.isna().to_numpy()
    if column.numeric:
        numbers = pd.to_numeric(series, errors="coerce").to_numpy(dtype="float64", na_value=float("nan"))
        if not (np.isnan(numbers) & ~missing).any():  # else the engine says which cell is not a number
            return pa.array(numbers, from_pandas=True)
    return pa.array([None if gap else column.text(v) for v, gap in zip(series.astype("object"), missing)], type=pa.string())


def _library(data: Any) -> str:
    module = type(data).__module__.split(".")[0]
    if isinstance(data, list) and isinstance(data[0], dict):
        return "pandas"
    return {"polars": "polars", "pyarrow": "arrow", "numpy": "numpy", "builtins": "numpy"}.get(module, "pandas")


def _once(names: Sequence[Any]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ColaError("SCHEMA_INVALID", f"The column {twice!r} is there twice; give every column its own name.")


def _free(name: str, taken: Container[str]) -> str:
    return name if name not in taken else _free(f"_{name}", taken)

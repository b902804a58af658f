"""Rows of a worker as lines of `cola pipe`."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa

from ._study import Study

SCHEMA = pa.schema([("id", pa.string()), ("status", pa.string()), ("plan", pa.string())])


def named_lines(study: Study, rows: pd.DataFrame, id: str | None) -> pa.RecordBatch:
    """Id, status and plan of each row. Without an id a plan has none: numbers would count the rows of a batch."""
    named = rows.set_index(id, drop=False) if id is not None else rows
    lines = study.lines(named)
    told = [json.loads(line) for line in lines]
    if id is None:
        lines = [json.dumps({k: v for k, v in one.items() if k != "id"}, ensure_ascii=False, separators=(",", ":")) for one in told]
    names = [str(one) for one in named.index] if id is not None else [None] * len(lines)
    return pa.RecordBatch.from_arrays(
        [pa.array(names, pa.string()), pa.array([one["status"] for one in told], pa.string()), pa.array(lines, pa.string())],
        schema=SCHEMA,
    )

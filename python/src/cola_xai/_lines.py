"""Rows of a worker as lines of `cola pipe`."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa

from ._study import Study

SCHEMA = pa.schema([("id", pa.string()), ("status", pa.string()), ("plan", pa.string())])


def named_lines(study: Study, rows: pd.DataFrame, id: str | None) -> pa.RecordBatch:
    """Id, status and plan of each row. Without an id a plan has none: numbers would count the rows of a batch."""
    lines = study.lines(rows if id is None else rows.set_index(id, drop=False), ids=id is not None)
    told = [json.loads(line) for line in lines]
    names = [None] * len(lines) if id is None else [str(one) for one in rows[id]]
    return pa.RecordBatch.from_arrays(
        [pa.array(names, pa.string()), pa.array([one["status"] for one in told], pa.string()), pa.array(lines, pa.string())],
        schema=SCHEMA,
    )

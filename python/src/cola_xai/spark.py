"""Plans of a Spark data frame: one engine per worker, the study sent once, rows streamed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._lines import named_lines
from ._study import Study

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

SCHEMA = "id string, status string, plan string"


def explain(frame: DataFrame, study: Study, *, id: str | None = None) -> DataFrame:
    """
    One line per row: its id (the column `id` of the frame, if any), its status, and its plan as `cola pipe` prints it, in
    JSON. Rows that fail are lines; the same bytes as in one process, however the frame is cut.
    """
    sent = frame.sparkSession.sparkContext.broadcast(study)

    def plans(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield named_lines(sent.value, batch.to_pandas(), id)

    made: Any = frame.mapInArrow(plans, SCHEMA)
    return made  # type: ignore[no-any-return]

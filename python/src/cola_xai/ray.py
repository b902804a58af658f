"""Plans of a Ray data set: one engine per worker, the study sent once, rows streamed."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from ._lines import named_lines
from ._study import Study

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset


class _Explainer:
    """A worker: it keeps the study, and with it the engine, from batch to batch."""

    def __init__(self, study: bytes, id: str | None) -> None:
        self._study: Study = pickle.loads(study)
        self._id = id

    def __call__(self, batch: Any) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_batches([named_lines(self._study, batch, self._id)])


def explain(data: Dataset, study: Study, *, id: str | None = None, workers: int = 2, batch_rows: int = 1024) -> Dataset:
    """One line per row with id, status and plan, as `cola_xai.spark.explain` gives them."""
    from ray import cloudpickle
    from ray.data import ActorPoolStrategy

    dumps: Any = cloudpickle.dumps
    cut = data.repartition(target_num_rows_per_block=batch_rows)  # one block would keep one worker busy
    return cut.map_batches(
        _Explainer,
        fn_constructor_args=(dumps(study), id),
        batch_format="pandas",
        batch_size=batch_rows,
        compute=ActorPoolStrategy(min_size=1, max_size=workers),  # what comes before needs a CPU too
    )

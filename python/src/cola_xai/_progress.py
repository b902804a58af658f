"""A bar on standard error while work takes longer than a moment."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from ._engine import Progress

QUIET_SECONDS = 1.5


@contextlib.contextmanager
def progress_bar(wanted: bool | None) -> Iterator[Progress | None]:
    """None: where somebody looks, in a notebook or at a terminal."""
    if wanted is False or (wanted is None and not (sys.stderr.isatty() or "ipykernel" in sys.modules)):
        yield None
        return
    began, shown = time.monotonic(), 0

    def report(stage: str, done: int, total: int) -> None:
        nonlocal shown
        if time.monotonic() - began < QUIET_SECONDS:
            return
        share = int(30 * done / max(total, 1))
        line = f"{stage} [{'#' * share}{'.' * (30 - share)}] {done}/{total}"
        sys.stderr.write("\r" + line.ljust(shown))
        sys.stderr.flush()
        shown = len(line)

    try:
        yield report
    finally:
        if shown:
            sys.stderr.write("\r" + " " * shown + "\r")
            sys.stderr.flush()

"""The notebooks run as a reader would run them; the report is in the page and needs no network."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from conftest import FOLDER

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    if path.stem == "credit" and not (FOLDER / "german_credit.csv").exists():
        pytest.skip("german_credit.csv is not beside the repository: the data sets are not part of it")
    monkeypatch.setenv("COLA_DATA", str(FOLDER))
    # As on a machine without Node.
    places = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(p for p in places if not (Path(p) / "node").exists()))
    book = nbformat.read(path, as_version=4)
    began = time.monotonic()
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = [o["data"]["text/html"] for c in book.cells if c.cell_type == "code" for o in c.outputs if "text/html" in o.get("data", {})]
    report = next(text for text in shown if "<iframe srcdoc=" in text)
    assert "&lt;!doctype html&gt;" in report.lower() and 'src="http' not in report
    print(f"{path.stem}: {time.monotonic() - began:.1f} s")

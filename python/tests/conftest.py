"""Data sets and the engine of the tests."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cola_xai

ROOT = Path(__file__).resolve().parents[2]
if not (Path(cola_xai.__file__).parent / "engine" / "main.js").exists():  # from the sources: the engine that was built last
    os.environ.setdefault("COLA_ENGINE", str(ROOT / "dist" / "cli" / "main.js"))

FOLDER = Path(os.environ.get("COLA_DATA", ROOT.parent / "shared" / "data"))


def _read(name: str, label: str, good: object, rows: int) -> tuple[pd.DataFrame, pd.Series]:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the repository: the data sets are not part of it")
    table = pd.read_csv(path)
    if len(table) > rows:
        table = table.sample(rows, random_state=0).reset_index(drop=True)
    return table.drop(columns=[label]), (table[label] == good).astype(int)


@pytest.fixture(scope="session")
def german() -> tuple[pd.DataFrame, pd.Series]:
    return _read("german_credit.csv", "Risk", "good", 1000)


@pytest.fixture(scope="session")
def heloc() -> tuple[pd.DataFrame, pd.Series]:
    rows, label = _read("heloc.csv", "RiskPerformance", "Good", 1500)
    return rows.where(rows >= 0).astype("float64"), label  # −7, −8 and −9 are gaps


@pytest.fixture(scope="session")
def hotel() -> tuple[pd.DataFrame, pd.Series]:
    rows, label = _read("hotel_bookings.csv", "is_canceled", 0, 1500)
    kept = ["lead_time", "adults", "children", "previous_cancellations", "booking_changes", "adr", "deposit_type"]
    return rows[[*kept, "market_segment", "customer_type", "total_of_special_requests"]], label


@pytest.fixture(scope="session")
def loans() -> tuple[pd.DataFrame, pd.Series]:
    """Made here: 400 people with an index of names."""
    random = np.random.default_rng(0)
    count = 400
    rows = pd.DataFrame(
        {
            "income": random.normal(50, 20, count).round(1),
            "debt": random.integers(0, 40, count),
            "home": random.choice(["own", "rent", "free"], count),
            "kids": random.integers(0, 4, count),
        },
        index=[f"P{i}" for i in range(count)],
    )
    noise = random.normal(0, 10, count)
    return rows, (rows.income - 2 * rows.debt + 10 * (rows.home == "own") + noise > 20).astype(int)

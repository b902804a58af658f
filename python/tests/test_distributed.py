"""Spark and Ray with two workers each: the lines of one process, whoever computes them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cola_xai as cola

pytestmark = pytest.mark.skipif(
    not (os.environ.get("COLA_DISTRIBUTED") or os.environ.get("COLA_SOAK")),
    reason="Spark and Ray are asked for by COLA_DISTRIBUTED=1: they take minutes to install and to start",
)
# Ray gives a busy machine a minute to start; it may have more.
os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")
os.environ.setdefault("RAY_gcs_server_request_timeout_seconds", "300")
ROWS = 200_000 if os.environ.get("COLA_SOAK") else int(os.environ.get("COLA_ROWS", "2000"))


@pytest.fixture(scope="module")
def parts(heloc: tuple[pd.DataFrame, pd.Series]) -> tuple[cola.Study, pd.DataFrame]:
    """HELOC rows repeated with noise, and an XGBoost model of them."""
    xgboost = pytest.importorskip("xgboost")
    rows, label = heloc
    rows = rows[rows.columns[:20]]
    model = xgboost.XGBClassifier(n_estimators=100, max_depth=6, tree_method="hist", n_jobs=2).fit(rows, label)
    # Plans alone are what millions of rows ask for; with their reasons a few thousand will do.
    options: dict[str, Any] = {"only": "plans"} if ROWS > 100_000 else {"values": "reference"}
    study = cola.Study(model, rows, target=1, **options)
    random = np.random.default_rng(0)
    many = pd.concat([rows] * (ROWS // len(rows) + 1), ignore_index=True).head(ROWS)
    noisy = (many + random.normal(0, 0.5, many.shape)).round().clip(lower=0)
    noisy.insert(0, "name", [f"R{i}" for i in range(len(noisy))])
    return study, noisy


@pytest.fixture(scope="module")
def alone(parts: tuple[cola.Study, pd.DataFrame]) -> dict[str, str]:
    """The lines of one process."""
    study, rows = parts
    return dict(zip(rows["name"], study.lines(rows.set_index("name", drop=False))))


def workers() -> list[int]:
    """Processes of Python that compute for Spark: children of its daemon, which has the same command line."""
    daemons: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"pyspark.daemon" in (place / "cmdline").read_bytes():
                daemons[int(place.name)] = int((place / "stat").read_text().rsplit(") ", 1)[1].split()[1])
    return [pid for pid, parent in daemons.items() if parent in daemons]


def kill_one(killed: list[int]) -> None:
    """Kills a worker while it computes: its engine has been started by then."""
    until = time.monotonic() + 300
    while time.monotonic() < until and not killed:
        for pid in workers():
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/task/{pid}/children").read_text().strip():
                    time.sleep(0.5)
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    return
        time.sleep(0.05)


def test_spark(parts: tuple[cola.Study, pd.DataFrame], alone: dict[str, str]) -> None:
    pytest.importorskip("pyspark")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java, in which Spark runs")
    from pyspark.sql import SparkSession

    from cola_xai.spark import explain

    study, rows = parts
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    spark = (
        SparkSession.builder.master("local[2, 4]")  # a task may fail three times
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "512")
        .getOrCreate()
    )
    try:
        frame = spark.createDataFrame(rows).repartition(4)
        killed: list[int] = []
        threading.Thread(target=kill_one, args=(killed,), daemon=True).start()
        made = explain(frame, study, id="name").toPandas()
    finally:
        spark.stop()
    assert killed, "no worker was killed while it computed"
    assert dict(zip(made["id"], made["plan"])) == alone
    assert (made["status"] == "ok").mean() > 0.9


def test_ray(parts: tuple[cola.Study, pd.DataFrame], alone: dict[str, str]) -> None:
    pytest.importorskip("ray")
    import ray

    from cola_xai.ray import explain

    study, rows = parts
    ray.init(_node_ip_address="127.0.0.1", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200_000_000)
    try:
        made = explain(ray.data.from_pandas(rows), study, id="name", workers=2).to_pandas()
    finally:
        ray.shutdown()
    assert dict(zip(made["id"], made["plan"])) == alone

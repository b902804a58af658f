"""
Spark and Ray with one worker and with two: wall clock, the most memory of a worker (its Python and its engine), and the
digest of the lines, which is that of one process.

    python python/bench/distributed.py [rows] [spark|ray ...]       # 20,000 rows, both
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import xgboost

import cola_xai as cola

COLUMNS = 20
PAGE = os.sysconf("SC_PAGE_SIZE") / 2**20


def people(count: int) -> tuple[cola.Study, pd.DataFrame]:
    """Rows of HELOC repeated with noise where it is beside the repository, else rows made here, and a model of 100 trees."""
    path = Path(os.environ.get("COLA_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "heloc.csv"
    random = np.random.default_rng(0)
    if path.exists():
        table = pd.read_csv(path).sample(1500, random_state=0).reset_index(drop=True)
        label = (table.pop("RiskPerformance") == "Good").astype(int)
        rows = table.where(table >= 0).astype("float64").iloc[:, :COLUMNS]
    else:
        rows = pd.DataFrame(random.normal(50, 20, (1500, COLUMNS)).round(), columns=[f"c{k}" for k in range(COLUMNS)])
        label = (rows["c0"] - rows["c1"] + 0.5 * rows["c2"] + random.normal(0, 10, len(rows)) > 20).astype(int)
    model = xgboost.XGBClassifier(n_estimators=100, max_depth=6, tree_method="hist", n_jobs=1).fit(rows, label)
    many = pd.concat([rows] * (count // len(rows) + 1), ignore_index=True).head(count)
    noisy = (many + random.normal(0, 0.5, many.shape)).round().clip(lower=0)
    noisy.insert(0, "name", [f"R{i}" for i in range(count)])
    return cola.Study(model, rows, target=1, only="plans"), noisy


def engines() -> Iterator[tuple[int, float]]:
    """Every engine with the memory of its process and of the Python that started it, in MB."""
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if (place / "cmdline").read_bytes().endswith(b"\0bridge\0"):
                parent = int((place / "stat").read_text().rsplit(") ", 1)[1].split()[1])
                if parent != os.getpid():
                    yield int(place.name), sum(int(Path(f"/proc/{p}/statm").read_text().split()[1]) for p in (int(place.name), parent)) * PAGE


def measured(what: str, work: Callable[[], pd.DataFrame]) -> float:
    most: dict[int, float] = {}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            for pid, size in engines():
                most[pid] = max(most.get(pid, 0.0), size)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    began = time.monotonic()
    made = work()
    spent = time.monotonic() - began
    done.set()
    watcher.join()
    digest = hashlib.sha256("\n".join(sorted(made["id"] + " " + made["plan"])).encode()).hexdigest()[:12]
    print(f"{what}: {spent:.1f} s, {len(made)} lines, {(made['status'] == 'ok').mean():.1%} ok, {digest}, workers of at most {max(most.values(), default=0):.0f} MB", flush=True)
    return spent


def by_spark(study: cola.Study, rows: pd.DataFrame, workers: int) -> float:
    from pyspark.sql import SparkSession

    from cola_xai.spark import explain

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    for name in ("bindAddress", "host"):
        builder = builder.config(f"spark.driver.{name}", "127.0.0.1")
    spark = builder.config("spark.driver.memory", "2g").config("spark.driver.maxResultSize", "0").getOrCreate()
    try:
        frame = spark.createDataFrame(rows).repartition(8)
        return measured(f"Spark local[{workers}]", lambda: explain(frame, study, id="name").toPandas())
    finally:
        spark.stop()


def by_ray(study: cola.Study, rows: pd.DataFrame, workers: int) -> float:
    import ray

    from cola_xai.ray import explain

    ray.init(_node_ip_address="127.0.0.1", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=500_000_000)
    try:
        data = ray.data.from_pandas(rows)
        return measured(f"Ray with {workers}", lambda: explain(data, study, id="name", workers=workers).to_pandas())
    finally:
        ray.shutdown()


def main(count: int, names: list[str]) -> None:
    study, rows = people(count)
    for name in names:
        run = {"spark": by_spark, "ray": by_ray}[name]
        one, two = (run(study, rows, workers) for workers in (1, 2))
        print(f"{name}: two workers take {two / one:.2f} of the time of one", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, sys.argv[2:] or ["spark", "ray"])

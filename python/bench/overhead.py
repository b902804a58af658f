"""
What the bridge costs, in seconds of CPU: plans by Python and the same by the command line, and a forest of scikit-learn
asked as a black box beside its own predictions.

    python python/bench/overhead.py [rows]       # 10,000; COLA_ENGINE names another dist/cli/main.js
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import cola_xai as cola
from cola_xai._engine import command, engine

ROUNDS = 3


def people(count: int) -> tuple[pd.DataFrame, pd.Series]:
    random = np.random.default_rng(0)
    names = [f"c{k}" for k in range(8)]
    rows = pd.DataFrame(random.normal(50, 20, (count, len(names))).round(1), columns=names)
    return rows, (rows["c0"] - rows["c1"] + 0.5 * rows["c2"] + random.normal(0, 10, count) > 20).astype(int)


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU of this process and of those it started, which end with the work."""

    def spent() -> float:
        own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime

    before = spent()
    work()
    engine().close()
    return spent() - before


def main(count: int) -> None:
    rows, label = people(2 * count + 1000)
    train = rows.head(1000)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        model = lightgbm.LGBMClassifier(n_estimators=50, verbose=-1, n_jobs=1).fit(train, label.head(1000))
        model.booster_.save_model(str(folder / "model.txt"))
        refused = rows.iloc[1000:][model.predict(rows.iloc[1000:]) == 0].head(count)
        train.to_csv(folder / "train.csv", index=False)
        refused.to_csv(folder / "rows.csv", index=False)
        told = ["--data", "rows.csv", "--rows", "all", "--references", "train.csv", "--model", "model.txt", "--outputs", "0,1"]
        line = [*command()[:-1], "explain", *told, "--target", "1", "--out", "out"]

        def by_command() -> None:
            subprocess.run(line, cwd=folder, check=True, capture_output=True)

        def by_python() -> None:
            result = cola.Study(model, train, target=1).explain(refused)
            result.plans, result.edits, result.reasons
            result.save(folder / "report.html")

        pairs = [(cpu(by_command), cpu(by_python)) for _ in range(ROUNDS)]
        for one, other in pairs:
            print(f"{len(refused)} plans: command line {one:.1f} s, Python {other:.1f} s of CPU, ratio {other / one:.3f}")
    forest = RandomForestClassifier(100, max_depth=8, n_jobs=1, random_state=0).fit(train, label.head(1000))
    some = refused.head(max(1, count // 100))
    for _ in range(ROUNDS):
        asked = [0.0, 0]

        def scores(table: pd.DataFrame) -> np.ndarray:
            began = time.process_time()
            made = forest.predict_proba(table)[:, 1]
            asked[0] += time.process_time() - began
            asked[1] += len(table)
            return made

        began, before = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        cola.Study(scores, train, target="score > 0.5").explain(some)
        outside = time.process_time() - began - asked[0]
        engine().close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(
            f"{len(some)} plans of a forest asked {asked[1]} rows: predict {asked[0]:.1f} s, engine {ours:.1f} s, bridge in Python "
            f"{outside:.2f} s, {100 * outside / (asked[0] + ours):.1f} % above"
        )


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)

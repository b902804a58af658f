"""Errors with the codes of the engine (docs/ERRORS.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ColaError(Exception):
    """What went wrong, with a stable code: the sentence names the owner, the rule, the value and the remedy."""

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})

    def __str__(self) -> str:
        return f"{self.args[0]} [{self.code}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.code, self.args[0], self.details))


class EngineError(ColaError):
    """The engine could not be started, or ended while it was asked."""

    def __init__(self, message: str, code: str = "BRIDGE_ENDED", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(code, message, details)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.code, self.details))

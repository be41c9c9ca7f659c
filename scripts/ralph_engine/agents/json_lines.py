"""A stream of one JSON event in each line: who reads it, and what else stands there."""

from __future__ import annotations

from typing import Any, Callable

from . import loose
from .events import Event, Result
from .excerpts import unknown

Reader = Callable[[dict[str, Any], bytes], list[Event]]


class JsonLines:
    """Keeps the last final event, and the last words that were no event."""

    def __init__(self, readers: dict[str, Reader]) -> None:
        self.result: Result | None = None
        self.last_words = ""
        self._readers = readers

    @property
    def final_text(self) -> str:
        """An error's words are the client's, not the agent's."""
        return self.result.text if self.result and self.result.error is None else ""

    def feed(self, line: bytes) -> list[Event]:
        event = loose.parse(line)
        return self._not_an_event(line) if event is None else self._read(event, line)

    def _read(self, event: dict[str, Any], line: bytes) -> list[Event]:
        reader = self._readers.get(loose.text(event.get("type")))
        return reader(event, line) if reader else [unknown(line)]

    def _not_an_event(self, line: bytes) -> list[Event]:
        if not line.strip(b" \t\r\0"):
            return []
        foreign = unknown(line)
        self.last_words = foreign.raw.strip()[:200]
        return [foreign]

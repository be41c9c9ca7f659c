"""Reads the lines of `gemini --output-format stream-json`."""

from __future__ import annotations

import calendar
import time
from typing import Any

from . import blocks, loose, todo
from .events import Event, Progress, Result, Text, Todo, ToolStart
from .excerpts import tool_end
from .json_lines import JsonLines

KEPT = 1024 * 1024

_TODO_TOOL = "write_todos"
# The first of these that a tool's parameters have tells a person most.
_TELLING = (
    *("command", "file_path", "dir_path", "path", "pattern", "query", "url", "prompt"),
    *("description", "name"),
)


class Parser(JsonLines):
    """Keeps the message at hand, at most its last 1 MiB, and the final event with its time."""

    def __init__(self) -> None:
        super().__init__(
            {
                "init": self._init,
                "message": self._message,
                "tool_use": self._tool_use,
                "tool_result": self._tool_result,
                "error": self._error,
                "result": self._result,
            }
        )
        self._complaint = ""
        self._ended = ""
        self._said = bytearray()

    @property
    def told_at(self) -> float | None:
        """When the final event was printed, in seconds of the epoch."""
        try:
            moment = time.strptime(self._ended[:19], "%Y-%m-%dT%H:%M:%S")
            return float(calendar.timegm(moment))
        except ValueError:
            return None

    def _init(self, event: dict[str, Any], line: bytes) -> list[Event]:
        return [Progress(loose.text(event.get("session_id")), loose.text(event.get("model")))]

    def _message(self, event: dict[str, Any], line: bytes) -> list[Event]:
        """A message comes in pieces: it is one text when something else follows."""
        if event.get("role") == "assistant":
            self._said += loose.text(event.get("content")).encode("utf-8", "replace")
            # Dropping the front is a copy: do it once per 1 MiB, not once per piece.
            if len(self._said) > 2 * KEPT:
                del self._said[:-KEPT]
        return []

    def _whole_message(self) -> list[Text]:
        text = bytes(self._said[-KEPT:]).decode("utf-8", "replace")
        self._said.clear()
        return [Text(text)] if text else []

    def _tool_use(self, event: dict[str, Any], line: bytes) -> list[Event]:
        name, given = loose.text(event.get("tool_name")), loose.fields(event.get("parameters"))
        start = ToolStart(name, loose.text(event.get("tool_id")), blocks.telling(given, _TELLING))
        found: list[Event] = [*self._whole_message(), start]
        if name == _TODO_TOOL:
            found.append(Todo(todo.items(given.get("todos"), "description")))
        return found

    def _tool_result(self, event: dict[str, Any], line: bytes) -> list[Event]:
        """The exit code of a command is not told: it succeeded where it was run."""
        failure = loose.text(loose.fields(event.get("error")).get("message"))
        output = loose.text(event.get("output")) or failure
        return [tool_end(loose.text(event.get("tool_id")), event.get("status") != "error", output)]

    def _error(self, event: dict[str, Any], line: bytes) -> list[Event]:
        """A warning, or what makes the final event one of an error: never the end by itself."""
        self._complaint = loose.text(event.get("message"))[:200]
        return [*self._whole_message()]

    def _result(self, event: dict[str, Any], line: bytes) -> list[Event]:
        said, self._ended = self._whole_message(), loose.text(event.get("timestamp"))[:30]
        error = loose.text(loose.fields(event.get("error")).get("message"))
        failed = event.get("status") == "error"
        words = (error or self._complaint or "unknown") if failed else None
        answer = said[0].text if said else ""
        self.result = _result(loose.fields(event.get("stats")), answer, words)
        return [*said, self.result]


def _result(stats: dict[str, Any], text: str, error: str | None) -> Result:
    """What was thought is a part of all tokens, and of no other figure. No cost is told."""
    total, sent = (loose.count(stats.get(name)) for name in ("total_tokens", "input_tokens"))
    milliseconds = loose.number(stats.get("duration_ms"))
    return Result(
        text=text,
        error=error,
        input_tokens=loose.count(stats.get("input")),
        output_tokens=None if total is None or sent is None else max(0, total - sent),
        cache_read_tokens=loose.count(stats.get("cached")),
        duration=None if milliseconds is None else milliseconds / 1000,
    )

"""Reads the lines of `codex exec --json`."""

from __future__ import annotations

import re
from typing import Any

from . import codex_items, loose
from .events import (
    COMPLETED,
    IN_PROGRESS,
    PENDING,
    Event,
    Progress,
    Result,
    Retry,
    Text,
    Todo,
    TodoItem,
)
from .excerpts import LONGEST_ANSWER, unknown
from .json_lines import JsonLines

_AGAIN = re.compile(r"Reconnecting\.\.\. (\d{1,6})/\d{1,6}(?: \((.*)\))?", re.DOTALL)
_STATUS = re.compile(r"(?:unexpected|last) status:? (\d{3})\b")
# Known, and of no use to a person or to the loop; an item called error is a warning.
_SILENT_ITEMS = frozenset({"reasoning", "error"})


class Parser(JsonLines):
    """Keeps the last message and the final event; nothing that grows with the stream."""

    def __init__(self) -> None:
        super().__init__(
            {
                "thread.started": self._thread,
                "turn.started": self._nothing,
                "turn.completed": self._completed,
                "turn.failed": self._failed,
                "item.started": self._item,
                "item.updated": self._item,
                "item.completed": self._item,
                "error": self._error,
            }
        )
        self._answer = ""
        self._todo: tuple[TodoItem, ...] = ()

    def _nothing(self, event: dict[str, Any], line: bytes) -> list[Event]:
        return []

    def _thread(self, event: dict[str, Any], line: bytes) -> list[Event]:
        return [Progress(loose.text(event.get("thread_id")), "")]

    def _item(self, event: dict[str, Any], line: bytes) -> list[Event]:
        item = loose.fields(event.get("item"))
        kind, stage = loose.text(item.get("type")), event["type"]
        if kind == "agent_message":
            text = loose.text(item.get("text"))
            self._answer = text[-LONGEST_ANSWER:]
            return [Text(text)]
        if kind == "todo_list":
            return self._todo_list(item)
        if kind in codex_items.TOOLS:
            return codex_items.events(item, kind, stage)
        return [] if kind in _SILENT_ITEMS else [unknown(line)]

    def _todo_list(self, item: dict[str, Any]) -> list[Event]:
        """Told again at the end of the turn, as it was."""
        items = _todo_items(loose.objects(item.get("items")))
        if items == self._todo:
            return []
        self._todo = items
        return [Todo(items)]

    def _completed(self, event: dict[str, Any], line: bytes) -> list[Event]:
        self.result = _result(loose.fields(event.get("usage")), self._answer)
        return [self.result]

    def _failed(self, event: dict[str, Any], line: bytes) -> list[Event]:
        words = loose.text(loose.fields(event.get("error")).get("message"))
        self.result = Result(error=words or "unknown")
        return [self.result]

    def _error(self, event: dict[str, Any], line: bytes) -> list[Event]:
        """A new try, or what the failed turn will say once more: never the end by itself."""
        words = loose.text(event.get("message"))
        again = _AGAIN.fullmatch(words)
        if again is None:
            self.last_words = words[:200]
            return []
        why = again[2] or ""
        return [Retry(int(again[1]), None, status_in(why), why)]


def status_in(words: str) -> int | None:
    found = _STATUS.search(words)
    return int(found[1]) if found else None


def _result(usage: dict[str, Any], answer: str) -> Result:
    """Input tokens include those of the cache; in an event they stand apart. No cost is told."""
    total, read, written = (
        loose.count(usage.get(name))
        for name in ("input_tokens", "cached_input_tokens", "cache_write_input_tokens")
    )
    cached = (read or 0) + (written or 0)
    return Result(
        text=answer,
        input_tokens=None if total is None else max(0, total - cached),
        output_tokens=loose.count(usage.get("output_tokens")),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _todo_items(found: list[dict[str, Any]]) -> tuple[TodoItem, ...]:
    """The stream only says what is completed: the first that is not is the one at work."""
    items, open_before = [], False
    for entry in found:
        done = entry.get("completed") is True
        status = COMPLETED if done else PENDING if open_before else IN_PROGRESS
        open_before = open_before or not done
        items.append(TodoItem(loose.text(entry.get("text")), status))
    return tuple(items)

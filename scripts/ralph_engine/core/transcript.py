"""Reads a session's transcript from where it was left, or from its end; never the whole."""

from __future__ import annotations

import json
import os
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple

    class News(NamedTuple):
        """What was written behind an offset."""

        offset: int
        tool_calls: int
        queued: list[str]
        last_texts: list[str] | None
else:
    News = namedtuple("News", "offset tool_calls queued last_texts")

# What the client itself queues when work in the background has ended.
NOTIFICATION = "<task-notification>"
# The newest part counts where more was written between two stops than this.
_MOST = 64 * 1024 * 1024
_BLOCK = 64 * 1024
_LONGEST_QUEUED = 200
_MOST_QUEUED = 50


def size(path: str) -> int | None:
    """None where there is no such file: --no-session-persistence only has a name."""
    try:
        return os.stat(path).st_size if path and os.path.isfile(path) else None
    except (OSError, ValueError):
        return None


def since(path: str, offset: int, queued: list[str]) -> News | None:
    """Whole lines only: the last one may still be in the making. None without a file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        return _since(fd, offset, queued)
    except OSError:
        return None
    finally:
        os.close(fd)


def _since(fd: int, offset: int, queued: list[str]) -> News:
    end = os.fstat(fd).st_size
    # A file that has shrunk is another one: what is in it was never counted from here.
    start = offset if offset <= end else end
    reader = _Reader(fd, max(start, end - _MOST), end)
    told = _Told(queued)
    for line in reader.lines():
        told.hear(line)
    return News(reader.place, told.tool_calls, told.queued, told.texts)


class _Reader:
    """Lines between two places; `place` is behind the last whole one."""

    def __init__(self, fd: int, start: int, end: int) -> None:
        self.fd, self.place, self.end = fd, start, end

    def lines(self) -> Iterator[bytes]:
        os.lseek(self.fd, self.place, os.SEEK_SET)
        pieces: list[bytes] = []
        read = self.place
        while read < self.end:
            block = os.read(self.fd, min(_BLOCK, self.end - read))
            if not block:
                return
            read += len(block)
            *whole, rest = block.split(b"\n")
            for line in whole:
                pieces.append(line)
                joined = b"".join(pieces)
                self.place += len(joined) + 1
                yield joined
                pieces = []
            pieces.append(rest)


class _Told:
    """The few facts that lines add up to."""

    def __init__(self, queued: list[str]) -> None:
        self.tool_calls, self.queued = 0, list(queued)
        self.texts: list[str] | None = None
        self.message: Any = None

    def hear(self, line: bytes) -> None:
        entry = _entry(line)
        kind = entry.get("type")
        if kind == "queue-operation":
            self._queue(entry)
        elif kind == "user" and not entry.get("isSidechain"):
            self.texts = None
            result = entry.get("toolUseResult")
            if isinstance(result, dict):
                self.tool_calls += _count(result.get("totalToolUseCount"))
        elif kind == "assistant" and not entry.get("isSidechain"):
            self._assistant(entry.get("message"))

    def _assistant(self, message: Any) -> None:
        """Each entry holds one block; the blocks of one message share its id."""
        if not isinstance(message, dict) or not isinstance(message.get("content"), list):
            return
        if message.get("id") != self.message or self.texts is None:
            self.message, self.texts = message.get("id"), []
        for block in message["content"]:
            if isinstance(block, dict):
                self.tool_calls += block.get("type") == "tool_use"
                if block.get("type") == "text" and isinstance(block.get("text"), str):
                    self.texts.append(block["text"])

    def _queue(self, entry: dict[str, Any]) -> None:
        content = entry.get("content")
        whole = content.strip() if isinstance(content, str) else ""
        text, operation = whole[:_LONGEST_QUEUED], entry.get("operation")
        if operation == "enqueue":
            self.queued = [*self.queued, text][-_MOST_QUEUED:]
            self.tool_calls += _calls_in_background(whole)
        elif operation == "popAll":
            self.queued = []
        elif text in self.queued:
            self.queued.remove(text)
        elif operation == "remove":
            self._absorb()
        else:
            self.queued = self.queued[1:]

    def _absorb(self) -> None:
        """Older clients do not say what went into the turn; a command never does."""
        place = next((n for n, text in enumerate(self.queued) if text[:1] != "/"), None)
        if place is not None:
            del self.queued[place]


def _entry(line: bytes) -> dict[str, Any]:
    if b'"assistant"' not in line and b'"user"' not in line and b'"queue-operation"' not in line:
        return {}
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _calls_in_background(text: str) -> int:
    """Those of a subagent that was not waited for; what it said itself is escaped there."""
    if not text.startswith(NOTIFICATION):
        return 0
    number = text.rpartition("<tool_uses>")[2].partition("</tool_uses>")[0]
    return _count(int(number)) if number.isascii() and number.isdigit() and len(number) < 7 else 0


def _count(value: Any) -> int:
    return value if type(value) is int and 0 < value < 1_000_000 else 0

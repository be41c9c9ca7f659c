"""How full is the model's context? Read from the end of its transcript, at most one MiB."""

from __future__ import annotations

import json
import os
import stat
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple

    class Usage(NamedTuple):
        """Guessed by the transcript's size where it is not exact; `current` is of the answer
        that made the call."""

        tokens: int
        exact: bool
        current: bool
        size: int
else:
    Usage = namedtuple("Usage", "tokens exact current size")

_STEP = 64 * 1024
_MOST = 1024 * 1024
_COUNTED = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def read(path: str, call: str, chars_per_token: float) -> Usage | None:
    """By the last answer since the last compaction; None where there is no transcript.

    Without the id of a `call` every answer is current.
    """
    fd = _opened(path)
    if fd is None:
        return None
    try:
        size = _size(fd)
        tokens, current, begin = _last_answer(fd, size, call.encode("utf-8", "replace"))
    except OSError:
        return None
    finally:
        os.close(fd)
    guess = int((size - begin) / chars_per_token)
    return Usage(tokens or guess, tokens > 0, current, size)


def last_compaction(path: str) -> int:
    """Where the newest compaction stands; -1 where none is near the end."""
    fd = _opened(path)
    if fd is None:
        return -1
    try:
        entries = _entries(fd, _size(fd))
        return next((place for place, _, entry in entries if _is_compaction(entry)), -1)
    except OSError:
        return -1
    finally:
        os.close(fd)


def _opened(path: str) -> int | None:
    try:
        # O_NONBLOCK: a FIFO of that name would otherwise be waited for.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    return None


def _size(fd: int) -> int:
    return os.fstat(fd).st_size


def _last_answer(fd: int, size: int, call: bytes) -> tuple[int, bool, int]:
    """Its tokens, whether it made the call, and where the context begins if there is none.

    Each block of an answer is an entry of its own; a later one may stand behind the call's.
    """
    tokens, answer = 0, None
    for place, line, entry in _entries(fd, size):
        if _is_compaction(entry):
            return tokens, not call, place
        counted = _tokens(entry)
        if not counted:
            continue
        name = entry["message"].get("id")
        if tokens and name != answer:
            break
        tokens, answer = tokens or counted, name
        if call in line:
            return tokens, True, 0
    return tokens, not call, 0


def _is_compaction(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "system" and entry.get("subtype") == "compact_boundary"


def _tokens(entry: dict[str, Any]) -> int:
    """0 for all that is no answer of the model to the session itself."""
    message = entry.get("message")
    if entry.get("type") != "assistant" or entry.get("isSidechain"):
        return 0
    if not isinstance(message, dict) or message.get("model") == "<synthetic>":
        return 0
    usage = message.get("usage")
    return sum(_count(usage.get(name)) for name in _COUNTED) if isinstance(usage, dict) else 0


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


def _entries(fd: int, end: int) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """From the newest on: answers and compactions, each with its place and line."""
    for place, line in _lines(fd, end):
        answered = b'"usage"' in line and b'"assistant"' in line
        if answered or b'"compact_boundary"' in line:
            yield place, line, _entry(line)


def _entry(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _lines(fd: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Backwards; a line that begins above the last MiB is not among them."""
    top, place, rest = max(0, end - _MOST), end, b""
    while place > top:
        start = max(top, place - _STEP)
        block = os.pread(fd, place - start, start)
        if len(block) < place - start:
            return
        place = start
        rest, *lines = (block + rest).split(b"\n")
        at = start + len(rest) + 1 + sum(len(line) + 1 for line in lines)
        for line in reversed(lines):
            at -= len(line) + 1
            yield at, line
    if top == 0:
        yield 0, rest

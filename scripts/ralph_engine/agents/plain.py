"""Reads an agent that prints its answer and nothing else."""

from __future__ import annotations

from . import endings
from .endings import Ended
from .events import Event, Result, Text

KEPT = 1024 * 1024
LONGEST_TEXT = 20_000


class Parser:
    """Lines are shown as they come; the last 1 MiB of them is the final answer."""

    result: Result | None = None

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, line: bytes) -> list[Event]:
        self._kept += line[-KEPT:] + b"\n"
        # Dropping the front is a copy: do it once per 1 MiB, not once per line.
        if len(self._kept) > 2 * KEPT:
            del self._kept[:-KEPT]
        # Four bytes hold a character at most: no need to decode megabytes for an excerpt.
        return [Text(line[: 4 * LONGEST_TEXT + 4].decode("utf-8", "replace"))]

    @property
    def final_text(self) -> str:
        return bytes(self._kept[-KEPT:]).decode("utf-8", "replace").strip()


def ended(parser: Parser, exit_code: int | None, cause: str | None) -> Ended:
    end = endings.by_exit(exit_code, cause)
    if end.kind == endings.OK and not parser.final_text:
        return Ended(endings.EMPTY, "nothing was said")
    return end

"""The rows that stand at the bottom of our terminal, taken away before anything else comes there.

The terminal belongs to the process, and so does what is known of it here. A signal handler runs
between any two steps of the program: what it says while rows are being written comes right after
them. The cursor stays visible and below the rows: whatever kills us leaves a usable terminal.
"""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from . import terminal

_PATIENCE = 1.0
# Whatever the widths of its characters, a row that does not wrap is one row.
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"


class Row(NamedTuple):
    text: str
    cells: int


@dataclass
class _Known:
    fd: int = 2
    cells: tuple[int, ...] = ()
    writing: bool = False
    over: bool = False
    late: list[str] = field(default_factory=list)


_known = _Known()


def put(fd: int, above: str, rows: Sequence[Row]) -> None:
    """`above` scrolls, the rows stand below it; an OSError where the terminal is gone."""
    stay = [] if _known.over else rows
    pinned = "".join(f"{row.text}\r\n" for row in stay)
    _known.writing = True
    try:
        _write(fd, _erasure(fd) + above + (_NO_WRAP + pinned + _WRAP if stay else ""))
        _known.fd, _known.cells = fd, tuple(row.cells for row in stay)
    finally:
        _known.writing = False
    while _known.late:
        _at_once(_known.late.pop(0))


def take_away() -> None:
    """The terminal is somebody else's now: a question's, or the shell's."""
    if _known.cells:
        put(_known.fd, "", ())


def interject(line: str) -> None:
    """From a signal handler; nothing is pinned after it. An OSError where nobody reads it."""
    _known.over = True
    if _known.writing:
        _known.late.append(line)
    else:
        _at_once(line)


def forget() -> None:
    """Somebody else wrote there: what stood above is history."""
    _known.cells = ()


def _at_once(line: str) -> None:
    erasure, _known.cells = _erasure(_known.fd), ()
    os.write(2, f"{erasure}{line}\n".encode())


def _erasure(fd: int) -> str:
    """A terminal that became narrower has wrapped the rows by now."""
    columns = terminal.size(fd).columns if _known.cells else 1
    height = sum(max(1, -(-cells // columns)) for cells in _known.cells)
    # Row by row: a terminal that is told to erase all of its screen may keep that as history.
    return "\r\x1b[2K" + "\x1b[A\x1b[2K" * height if height else ""


def _write(fd: int, text: str) -> None:
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:
            # It was told not to wait; what a slow terminal cannot take is not shown.
            if not select.select([], [fd], [], _PATIENCE)[1]:
                return

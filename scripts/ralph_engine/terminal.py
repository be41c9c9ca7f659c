"""What the terminal behind a stream can do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple, TextIO

_WITHOUT_CURSOR = ("", "dumb", "unknown")
_USUAL = os.terminal_size((80, 24))


class Terminal(NamedTuple):
    """`fine`: it shows more than ASCII."""

    fd: int
    colour: bool
    fine: bool


def of(stream: TextIO | None, environment: Mapping[str, str]) -> Terminal | None:
    """None where there is none, or one whose cursor cannot be moved."""
    if stream is None or not stream.isatty():
        return None
    if environment.get("TERM", "") in _WITHOUT_CURSOR:
        return None
    colour = not environment.get("NO_COLOR")
    return Terminal(stream.fileno(), colour, is_utf8(stream, environment))


def is_utf8(stream: TextIO, environment: Mapping[str, str]) -> bool:
    # -X utf8 makes every stream say so, and Python itself puts LC_CTYPE into our environment.
    locale = environment.get("LC_ALL") or environment.get("LANG") or ""
    words = (locale.partition(".")[2], stream.encoding)
    return all(word.lower().replace("-", "").startswith("utf8") for word in words)


def size(fd: int) -> os.terminal_size:
    """A terminal that was never told its size says 0."""
    try:
        found = os.get_terminal_size(fd)
    except OSError:
        return _USUAL
    return found if found.columns > 0 and found.lines > 0 else _USUAL

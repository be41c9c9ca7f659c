"""Questions to a person: only where one sits at the terminal, and no is the default."""

from __future__ import annotations

import sys

from . import interrupts, pinned
from .harmless import harmless


def yes(question: str) -> bool:
    with interrupts.at_a_question():
        try:
            return _answer(question).strip().lower() in ("y", "yes")
        except OSError:
            # The terminal went away while it was asked.
            return False


def _answer(question: str) -> str:
    for stream in (sys.stdin, sys.stderr):
        if stream is None or not stream.isatty():
            return ""
    pinned.take_away()
    print(harmless(f"{question} (y/N) "), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()

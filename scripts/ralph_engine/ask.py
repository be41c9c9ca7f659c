"""Questions to a person: only where one sits at the terminal, and no is the default."""

from __future__ import annotations

import sys

from .harmless import harmless


def yes(question: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(harmless(f"{question} (y/N) "), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")

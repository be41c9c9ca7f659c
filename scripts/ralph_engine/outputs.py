"""Lines to stdout and stderr, whoever may have closed them or left."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from .harmless import harmless


def last(text: str, hint: str) -> None:
    """The last word of a verb, and what to do next."""
    line(f"ralph: {text}" + (f"\nhint: {hint}" if hint else ""), sys.stderr)


def line(text: str, stream: TextIO | None) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        print(harmless(text), file=stream, flush=True)
    except BlockingIOError:
        # Its reader is slow and it was told not to wait; the rest goes out with the next line.
        pass
    except OSError:
        give_up(stream)


def give_up(stream: TextIO) -> None:
    """Nobody reads it any more; what it still holds would spoil the exit code at the end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)

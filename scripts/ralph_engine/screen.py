"""What a person sees of a run: plain lines on stderr, or events as JSON on stdout."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from .harmless import harmless


class Screen:
    def __init__(self, json: bool, verbose: bool) -> None:
        self._json, self._verbose = json, verbose

    def say(self, text: str) -> None:
        if not self._json:
            _print(f"[ralph] {text}", sys.stderr)

    def detail(self, text: str) -> None:
        if self._verbose:
            _print(f"[ralph] {text}", sys.stderr)

    def event(self, line: str) -> None:
        if self._json:
            _print(line, sys.stdout)

    def last(self, text: str, hint: str) -> None:
        _print(f"ralph: {text}" + (f"\nhint: {hint}" if hint else ""), sys.stderr)


def _print(text: str, stream: TextIO | None) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        print(harmless(text), file=stream, flush=True)
    except BlockingIOError:
        # Its reader is slow and it was told not to wait; the rest goes out with the next line.
        pass
    except OSError:
        _give_up(stream)


def _give_up(stream: TextIO) -> None:
    """Nobody reads it any more; what it still holds would spoil the exit code at the end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)

"""What a person sees of a run: plain lines on stderr, or events as JSON on stdout."""

from __future__ import annotations

import sys
from typing import TextIO

from .harmless import harmless


class Screen:
    def __init__(self, json: bool, verbose: bool) -> None:
        self._json, self._verbose = json, verbose

    def say(self, text: str) -> None:
        if not self._json:
            self._print(f"[ralph] {text}")

    def detail(self, text: str) -> None:
        if self._verbose:
            self._print(f"[ralph] {text}")

    def event(self, line: str) -> None:
        if self._json:
            self._print(line, sys.stdout)

    def last(self, text: str, hint: str) -> None:
        self._print(f"ralph: {text}" + (f"\nhint: {hint}" if hint else ""))

    def _print(self, text: str, stream: TextIO | None = None) -> None:
        try:
            print(harmless(text), file=stream or sys.stderr, flush=True)
        except OSError:
            # The terminal is gone; the journal is not.
            self._json = False

"""What a person sees of a run: plain lines on stderr, or events as JSON on stdout."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from . import outputs
from .event_lines import EventLines
from .line_view import NO_OUTPUT

if TYPE_CHECKING:
    from .settings import Settings


class Screen:
    def __init__(self, json: bool, verbose: bool) -> None:
        self._json, self._verbose = json, verbose
        self._lines, self._timed = EventLines(NO_OUTPUT), False

    def show_as(self, chosen: Settings) -> None:
        self._lines = EventLines(NO_OUTPUT, chosen.stream_agent_output)
        self._timed = chosen.display.timestamps

    def say(self, text: str) -> None:
        if not self._json:
            self._line(text)

    def detail(self, text: str) -> None:
        if self._verbose:
            self._line(text)

    def event(self, entry: dict[str, Any]) -> None:
        if self._json:
            outputs.line(json.dumps(entry), sys.stdout)
            return
        for line in self._lines.of(entry):
            self._line(line.text)

    def last(self, text: str, hint: str) -> None:
        outputs.last(text, hint)

    def pulse(self) -> None:
        pass

    def _line(self, text: str) -> None:
        clock = time.strftime("[%H:%M:%S] ") if self._timed else ""
        outputs.line(f"{clock}[ralph] {text}", sys.stderr)

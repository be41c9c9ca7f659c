"""What a person sees of a run: a live view, plain lines on stderr, or events on stdout."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import outputs, terminal
from .display import Display
from .event_lines import EventLines
from .line_view import NO_OUTPUT, QUIET, Line

if TYPE_CHECKING:
    from .live_view import LiveView
    from .settings import Settings


class Screen:
    def __init__(self, json: bool, verbose: bool) -> None:
        self._json, self._verbose = json, verbose
        self._lines = EventLines(NO_OUTPUT)
        self._live = None if json else _live_view()

    def show_as(self, chosen: Settings) -> None:
        self._lines = EventLines(NO_OUTPUT, chosen.stream_agent_output)
        if self._live:
            self._live.show_as(chosen.display, chosen.stream_agent_output)

    def say(self, text: str) -> None:
        if not self._json:
            self._line(Line(text))

    def detail(self, text: str) -> None:
        if self._verbose:
            self._line(Line(text, QUIET))

    def event(self, entry: dict[str, Any]) -> None:
        if self._json:
            outputs.line(json.dumps(entry), sys.stdout)
        elif self._live:
            self._on_terminal(lambda view: view.event(entry))
        else:
            for line in self._lines.of(entry):
                self._line(line)

    def last(self, text: str, hint: str) -> None:
        outputs.last(text, hint)

    def close(self) -> None:
        """The terminal is the shell's again."""
        self._on_terminal(lambda view: view.close())
        self._live = None

    def pulse(self) -> None:
        self._on_terminal(lambda view: view.pulse())

    def _line(self, line: Line) -> None:
        if self._live:
            self._on_terminal(lambda view: view.say(line))
            return
        who = "agent:" if line.by_agent else "[ralph]"
        # What follows its first line may be an agent's words: it is set apart.
        text = line.text.replace("\n", "\n    ")
        outputs.line(f"{time.strftime('[%H:%M:%S]')} {who} {text}", sys.stderr)

    def _on_terminal(self, act: Callable[[LiveView], None]) -> None:
        """One that is gone is no reason to stop: from then on there is the journal."""
        if self._live is None:
            return
        try:
            act(self._live)
        except OSError:
            self._live = None
            outputs.give_up(sys.stderr)


def _live_view() -> LiveView | None:
    found = terminal.of(sys.stderr, os.environ)
    if found is None:
        return None
    from .live_view import LiveView  # rich takes its time

    return LiveView(found, Display())

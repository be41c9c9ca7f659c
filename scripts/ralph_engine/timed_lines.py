"""A run where no terminal is: one timed line for each event that a person is told."""

from __future__ import annotations

import time
from collections import deque

from . import live
from .core import clock
from .event_lines import Entry, EventLines
from .line_view import NO_OUTPUT, Line

LAST_LINES = 5


class TimedLines:
    def __init__(self, with_agent: bool) -> None:
        self._lines = EventLines(NO_OUTPUT, with_agent)
        self._status = live.Status()
        self._last: deque[str] = deque(maxlen=LAST_LINES)

    def past(self, entry: Entry) -> None:
        self._status = live.after(self._status, entry)
        self._last.extend(self._told(entry))

    def begin(self) -> None:
        """What happened so far, in brief."""
        for line in (*live.brief(self._status, time.time()), *self._last):
            print(line, flush=True)

    def event(self, entry: Entry) -> None:
        for line in self._told(entry):
            print(line, flush=True)

    def pulse(self) -> None:
        pass

    def close(self) -> None:
        pass

    def _told(self, entry: Entry) -> list[str]:
        """One line each for what the agent says and for what the runner says."""
        lines = self._lines.of(entry)
        at = clock.seconds(str(entry.get("time")))
        hour = time.strftime("%H:%M:%S", time.localtime(at))
        sides = ([line for line in lines if line.by_agent is side] for side in (True, False))
        return [f"[{hour}] {_in_one(side)}" for side in sides if side]


def _in_one(lines: list[Line]) -> str:
    who = "agent: " if lines[0].by_agent else ""
    rest = f" [+{len(lines) - 1} more]" if len(lines) > 1 else ""
    return f"{who}{lines[0].text.strip()}{rest}"

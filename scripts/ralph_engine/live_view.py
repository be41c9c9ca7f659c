"""A run on a terminal: what happens scrolls above, where it stands is pinned below."""

from __future__ import annotations

import time

from . import live, pinned, terminal
from .core import clock
from .core.counted import counted
from .display import Display
from .event_lines import Entry, EventLines
from .harmless import one_line
from .line_view import QUIET, Line, Output
from .paint import Look, Painter
from .pinned import Row
from .terminal import Terminal

# Nobody reads faster, and an agent may print without measure.
_EVERY = 0.1
_MOST_LINES = 200
_PULSE = 0.25
_LAST_LINES = 5


class LiveView:
    """Its methods raise OSError where the terminal is gone."""

    def __init__(self, at: Terminal, display: Display, with_agent: bool = True) -> None:
        self._at = at
        self._status = live.Status()
        self._waiting: list[tuple[Line, float]] = []
        self._left_out = 0
        self._drawn, self._shown = 0.0, ""
        self.show_as(display, with_agent)

    def show_as(self, display: Display, with_agent: bool) -> None:
        output = Output(display.max_output_lines, display.max_output_chars)
        self._lines = EventLines(output, with_agent)
        colour = self._at.colour and display.color
        self._look = Look(colour, self._at.fine, display.emoji, display.timestamps)

    def say(self, line: Line) -> None:
        """What follows its first line may be an agent's words: it is set apart."""
        for text in line.text.replace("\n", "\n    ").split("\n"):
            self._take(line._replace(text=one_line(text)), time.time())
        self._draw()

    def event(self, entry: Entry) -> None:
        self._status = live.after(self._status, entry)
        self._take_all(entry)
        if time.monotonic() - self._drawn > _EVERY:
            self._draw()

    def past(self, entry: Entry) -> None:
        """What happened before anybody looked."""
        self._status = live.after(self._status, entry)
        self._take_all(entry)

    def begin(self) -> None:
        """All that is past in brief, and its last lines."""
        brief = [Line(line, QUIET) for line in live.brief(self._status, time.time())]
        self._waiting = [*((line, time.time()) for line in brief), *self._waiting[-_LAST_LINES:]]
        self._left_out = 0
        self._draw()

    def pulse(self) -> None:
        """Several times a second: what waits to be shown, and the time that passes."""
        if time.monotonic() - self._drawn > _PULSE:
            self._draw()

    def close(self) -> None:
        self._status = live.Status()
        self._draw()

    def _take_all(self, entry: Entry) -> None:
        at = clock.seconds(str(entry.get("time")))
        for line in self._lines.of(entry):
            self._take(line, time.time() if at is None else at)

    def _take(self, line: Line, at: float) -> None:
        self._waiting.append((line, at))
        if len(self._waiting) > _MOST_LINES:
            self._left_out += len(self._waiting) - _MOST_LINES
            del self._waiting[: len(self._waiting) - _MOST_LINES]

    def _draw(self) -> None:
        size = terminal.size(self._at.fd)
        painter = Painter(self._look, size.columns)
        above, rows = self._above(painter), self._rows(painter, size.lines)
        self._drawn = time.monotonic()
        shown = f"{size}{rows}"
        if above or shown != self._shown:
            self._shown = shown
            pinned.put(self._at.fd, above, rows)

    def _above(self, painter: Painter) -> str:
        waiting, left_out = self._waiting, self._left_out
        self._waiting, self._left_out = [], 0
        if left_out:
            words = (
                f"... {counted(left_out, 'line')} came too fast to be shown; all are in the journal"
            )
            waiting.insert(0, (Line(words), time.time()))
        rows = (row for line, at in waiting for row in painter.line(line, at))
        return "".join(f"{painter.text(row)}\r\n" for row in rows)

    def _rows(self, painter: Painter, lines: int) -> list[Row]:
        if not self._status.run or self._status.end:
            return []
        rows = painter.status(*live.words(self._status, time.time()), lines)
        return [Row(painter.text(row), row.cell_len) for row in rows]

"""Lines and a run's status as rows of a terminal: colours, marks, wide characters."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from .line_view import BAD, GOOD, PLAIN, QUIET, TITLE, Line

_STYLES = {PLAIN: "", GOOD: "green", BAD: "red", QUIET: "dim", TITLE: "bold"}
_EMOJI = {GOOD: "\u2705 ", BAD: "\u274c "}
_WORDS = {GOOD: "[OK] ", BAD: "[ERR] "}
_NARROWEST, _LOWEST = 10, 8


class Look(NamedTuple):
    """`fine`: the terminal shows more than ASCII."""

    colour: bool
    fine: bool
    emoji: bool
    timestamps: bool


class Painter:
    def __init__(self, look: Look, columns: int) -> None:
        self._look, self._columns = look, columns
        self._marks = _EMOJI if look.emoji and look.fine else _WORDS
        self._gutter = "\u2502 " if look.fine else "| "
        self._dot, self._dash = (" \u00b7 ", "\u2500") if look.fine else (" | ", "-")
        self._console = _console(look.colour)

    def line(self, line: Line, at: float) -> list[Text]:
        """As many rows as it takes, each below the other's text."""
        body = line.text.lstrip(" ")
        start = Text(f"[{time.strftime('%H:%M:%S', time.localtime(at))}] ", "dim")
        start = start if self._look.timestamps else Text()
        room = Text(" " * start.cell_len)
        gutter = Text(self._gutter if line.by_agent else "", "dim")
        mark = " " * (len(line.text) - len(body)) + self._marks.get(line.tone, "")
        hang = " " * cell_len(mark)
        return [
            Text.assemble(room if number else start, gutter, hang if number else mark, row)
            for number, row in enumerate(self._folded(body, line.tone, start, gutter, hang))
        ]

    def _folded(self, body: str, tone: str, start: Text, gutter: Text, hang: str) -> Iterable[Text]:
        left = self._columns - start.cell_len - gutter.cell_len - len(hang)
        text = Text(body, _STYLES[tone])
        if body.isascii() and len(body) <= left:
            return [text]
        rows = list(text.wrap(self._console, max(_NARROWEST, left), overflow="fold"))
        for row in rows:
            row.rstrip()
        return rows or [text]

    def text(self, row: Text) -> str:
        """With the codes for its colours."""
        with self._console.capture() as written:
            self._console.print(row, soft_wrap=True, end="")
        return written.get()

    def status(self, headline: str, fields: list[str], lines: int) -> list[Text]:
        """At most half of the terminal; nothing where that is too small for it."""
        if lines < _LOWEST or self._columns < _NARROWEST:
            return []
        width = self._columns - 1
        rows = [Text(self._dash * width, "dim"), Text(headline, "bold cyan")]
        rows += [Text(row) for row in packed(fields, self._dot, width)]
        for row in rows:
            row.truncate(width, overflow="ellipsis" if self._look.fine else "crop")
        return rows[: lines // 2]


def packed(fields: list[str], between: str, width: int) -> list[str]:
    """As many in a row as fit, none torn apart."""
    rows: list[str] = []
    for field in fields:
        longer = f"{rows[-1]}{between}{field}" if rows else field
        if rows and cell_len(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(field)
    return rows


def _console(colour: bool) -> Console:
    """It only turns styles into codes: what it believes of the terminal does not matter."""
    return Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )

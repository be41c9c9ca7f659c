"""Claims on the left, facts on the right; below each other where the terminal is narrow."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from textwrap import wrap
from typing import TextIO

from .demo_words import BAD, CLAIM, GOOD, NEUTRAL, TITLE, Line
from .harmless import harmless
from .terminal import is_utf8

BOLD, DIM = "bold", "dim"
_WIDEST, _NARROWEST, _COLUMNS_FROM = 96, 20, 72
_CODES = {BOLD: "1", DIM: "2", GOOD: "32", BAD: "31"}
_PLAIN = {GOOD: "+", BAD: "x", NEUTRAL: "-", "rule": "|"}
_FINE = {GOOD: "\u2713", BAD: "\u2717", NEUTRAL: "\u00b7", "rule": "\u2502"}
_INDENT = "   "


def on(stream: TextIO, environment: Mapping[str, str]) -> View:
    """Plain text in 80 columns, unless the stream is a terminal that can do more."""
    terminal = stream.isatty() and environment.get("TERM") != "dumb"
    colour = terminal and not environment.get("NO_COLOR")
    width = shutil.get_terminal_size((80, 24)).columns if terminal else 80
    return View(stream, width, colour, terminal and is_utf8(stream, environment))


class View:
    def __init__(self, stream: TextIO, width: int, colour: bool, fine: bool) -> None:
        self._stream, self._colour = stream, colour
        self._width = max(_NARROWEST, min(width - 1, _WIDEST))
        self._marks = _FINE if fine else _PLAIN
        self._wide = width >= _COLUMNS_FROM
        self._left = self._width // 2 - 6
        self._open: str | None = None

    def show(self, line: Line) -> None:
        if line.kind == TITLE:
            self.say("")
            self.say(line.text, BOLD)
        elif line.kind == CLAIM:
            self._claim(line.text)
        else:
            self._fact(line.text, line.tone)

    def say(self, text: str, style: str = "", indent: str = "") -> None:
        """Across both columns."""
        self.finish()
        for row in wrap(harmless(text), self._width, subsequent_indent=indent) or [""]:
            self._print(self._styled(row, style) + "\n")

    def heads(self, left: str, right: str) -> None:
        if self._wide:
            self._print("\n" + self._styled(self._row(left, right), DIM) + "\n")

    def finish(self) -> None:
        """Ends a row whose right side stayed empty."""
        if self._open is not None:
            self._print("\n")
        self._open = None

    def _claim(self, text: str) -> None:
        if not self._wide:
            return self._labelled("agent ", text, "")
        for row in wrap(harmless(text), self._left):
            self.finish()
            self._open = row
            self._print(_INDENT + row)

    def _fact(self, text: str, tone: str) -> None:
        marked = f"{self._marks[tone]} {text}"
        if not self._wide:
            return self._labelled("runner", marked, tone)
        room = self._width - len(_INDENT) - self._left - 3
        for row in wrap(harmless(marked), room, subsequent_indent="  "):
            self._right(row, tone)

    def _right(self, text: str, tone: str) -> None:
        """Beside the claim, where that row is still open."""
        gap = self._row(self._open or "", "")
        start = gap if self._open is None else gap[len(_INDENT) + len(self._open) :]
        self._print(self._styled(start, DIM) + self._styled(text, tone) + "\n")
        self._open = None

    def _row(self, left: str, right: str) -> str:
        return f"{_INDENT}{left:<{self._left}} {self._marks['rule']} {right}"

    def _labelled(self, label: str, text: str, tone: str) -> None:
        hang = " " * (len(_INDENT) + len(label) + 1)
        rows = wrap(harmless(text), self._width - len(hang))
        for row, start in zip(rows, [f"{_INDENT}{label} ", *[hang] * len(rows)]):
            self._print(self._styled(start, DIM) + self._styled(row, tone) + "\n")

    def _styled(self, text: str, style: str) -> str:
        code = _CODES.get(style) if self._colour else None
        return f"\x1b[{code}m{text}\x1b[0m" if code and text else text

    def _print(self, text: str) -> None:
        print(text, end="", file=self._stream, flush=True)

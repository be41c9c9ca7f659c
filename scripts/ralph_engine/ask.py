"""Questions to a person: only where one sits at the terminal."""

from __future__ import annotations

import sys
from typing import Callable, TypeVar

from . import interrupts, outputs, pinned
from .harmless import harmless

Value = TypeVar("Value")


class Unfit(Exception):
    """An answer that will not do; says what would."""


def at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def yes(question: str) -> bool:
    """No is the default, and the answer where nobody can be asked."""
    with interrupts.at_a_question():
        try:
            return at_terminal() and is_yes(_answer(f"{question} (y/N) "))
        except OSError:
            # The terminal went away while it was asked.
            return False


def until_fit(question: str, read: Callable[[str], Value]) -> Value:
    """What `read` makes of the answer; asked again as long as that is Unfit."""
    while True:
        text = line(question)
        try:
            return read(_printable(text))
        except Unfit as unfit:
            say(f"  {unfit}")


def line(question: str) -> str:
    """What was typed. The end of the input, or of the terminal, means what Ctrl-C means."""
    try:
        typed = _answer(question)
    except OSError:
        typed = ""
    if not typed:
        raise KeyboardInterrupt
    return typed.strip()


def is_yes(answer: str) -> bool:
    return answer.strip().lower() in ("y", "yes")


def say(text: str) -> None:
    outputs.line(text, sys.stderr)


def _printable(text: str) -> str:
    # An arrow key, pressed for want of an editor, would become part of a command.
    if not text.isprintable():
        raise Unfit("Give it again, without control characters.")
    return text


def _answer(question: str) -> str:
    pinned.take_away()
    print(harmless(question), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()

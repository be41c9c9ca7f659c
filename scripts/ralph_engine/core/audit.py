"""An audit's signals: nothing is left, or how many findings remain."""

from __future__ import annotations

from . import promise

_PROGRESS = ("RALPH_ITERATION_COMPLETE:", "findings remain")


def is_done(text: str, signal: str) -> bool:
    """The signal stands alone on a line, and nothing in the message speaks against it."""
    return _says(text, signal) and findings(text) is None


def claims_both(text: str, signal: str) -> bool:
    return _says(text, signal) and findings(text) is not None


def findings(text: str) -> int | None:
    """How many remain, by the last line that says so."""
    found = [count for count in map(_findings, _lines(text)) if count is not None]
    return found[-1] if found else None


def _findings(line: str) -> int | None:
    start, end = _PROGRESS
    if not (line.startswith(start) and line.endswith(end)):
        return None
    number = line[len(start) : -len(end)].strip()
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 9 else None


def _says(text: str, signal: str) -> bool:
    return any(signal in (line.strip(), _bare(line)) for line in promise.lines(text))


def _lines(text: str) -> list[str]:
    return [_bare(line) for line in promise.lines(text)]


def _bare(line: str) -> str:
    return line.strip().rstrip(".!")

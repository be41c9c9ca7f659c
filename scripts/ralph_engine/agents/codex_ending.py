"""How a codex process ended: its stream has words for it, and no kinds."""

from __future__ import annotations

import re
import time

from . import endings
from .codex_stream import Parser, status_in
from .endings import Ended

# A used-up balance is fatal, not a limit: no waiting helps. Apostrophes may be curly.
_BY_WORDS = (
    (endings.LIMIT, re.compile(r"hit your usage limit|rate limit", re.I)),
    (endings.AUTH, re.compile(r"quota exceeded|missing environment variable|log ?in\b", re.I)),
    (endings.NOT_FOUND, re.compile(r"model.{1,200}(?:does not exist|is not supported)", re.I)),
    (endings.OVERLOADED, re.compile(r"high demand|at capacity|overloaded", re.I)),
    (endings.NETWORK, re.compile(r"stream disconnected|error sending request|timed out", re.I)),
)
_AT = re.compile(
    r"try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MINUTE = 60.0


def ended(parser: Parser, exit_code: int | None, cause: str | None) -> Ended:
    result = parser.result
    if result is None:
        return endings.without_final_event(exit_code, cause, parser.last_words)
    if result.error is None:
        return endings.without_error(result.text, exit_code, cause)
    reset = reset_in(result.error, time.time())
    return endings.with_error(_kind(result.error), result.error, exit_code, cause, reset)


def _kind(words: str) -> str:
    status = status_in(words)
    if status is not None:
        return endings.by_status(status)
    found = (kind for kind, pattern in _BY_WORDS if pattern.search(words))
    return next(found, endings.FAILED)


def reset_in(words: str, now: float) -> float | None:
    """By the clock on the wall here; the day stands there only where it is not today."""
    found = _AT.search(words)
    if found is None:
        return None
    month, day, year, hour, minute, half = found.groups()
    today = time.localtime(now)
    date = (today.tm_year, today.tm_mon, today.tm_mday)
    hours = int(hour) % 12 + (12 if half == "P" else 0)
    try:
        if month:
            date = (int(year), _MONTHS.index(month) + 1, int(day))
        at = time.mktime((*date, hours, int(minute), 0, 0, 0, -1))
    except (OverflowError, ValueError):
        return None
    # The seconds are not told, so the minute must have passed.
    return at + _MINUTE

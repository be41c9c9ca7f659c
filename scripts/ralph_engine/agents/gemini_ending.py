"""How a gemini process ended: an exit code of its own, or what is left of an HTTP status."""

from __future__ import annotations

import re

from . import endings
from .endings import Ended
from .gemini_stream import Parser

# Its own; 42 is input that it could not use, not a person whom it asks for.
_BY_EXIT = {41: endings.AUTH, 53: endings.MAX_TURNS}
_OWN = frozenset({41, 42, 44, 52, 53, 54, 55})
_NO_SIGN_IN = (
    "no way to sign in (exit code 41): set GEMINI_API_KEY, or start gemini by hand and choose one"
)
_STATUS = re.compile(r'"code": ?(\d{3})\b')
_BY_WORDS = (
    (endings.LIMIT, re.compile(r"exhausted your|quota|rate.limit|try again later", re.I)),
    (endings.AUTH, re.compile(r"api key|authenticat|permission.denied", re.I)),
    (endings.NOT_FOUND, re.compile(r"is not found for api|model not found", re.I)),
    (endings.OVERLOADED, re.compile(r"overloaded|high demand", re.I)),
    (endings.EMPTY, re.compile(r"empty response|only thoughts", re.I)),
    (endings.NETWORK, re.compile(r"fetch failed|sending request|timed out|ECONN", re.I)),
)
_RESET = re.compile(
    r"(?:reset after|retry (?:in|after)) ((?:[\d.]{1,12}(?:ms|[hms]) ?){1,4})", re.I
)
_UNIT = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def ended(parser: Parser, exit_code: int | None, cause: str | None) -> Ended:
    result, code = parser.result, 1 if exit_code in _OWN else exit_code
    if result is None:
        end = endings.without_final_event(code, cause, parser.last_words)
        return Ended(endings.AUTH, _NO_SIGN_IN) if exit_code == 41 and cause is None else end
    if result.error is None:
        return endings.without_error(result.text, code, cause)
    status = _status(result.error, exit_code)
    kind = _BY_EXIT.get(exit_code or 0) or _kind(result.error, status)
    # What a status leaves of itself as an exit code looks like a signal.
    code = 1 if status else code
    reset = reset_in(result.error, parser.told_at)
    return endings.with_error(kind, result.error, code, cause, reset)


def _status(words: str, exit_code: int | None) -> int | None:
    """In the provider's own words, or by the exit code: 145 is 401 without its 256."""
    told = _STATUS.search(words)
    if told:
        return int(told[1])
    whole = (exit_code or 0) + 256
    return whole if 400 <= whole < 512 else None


def _kind(words: str, status: int | None) -> str:
    """A bad request (400) may be one with a bad key: only the words tell."""
    known = endings.by_status(status) if status else endings.FAILED
    if known != endings.FAILED:
        return known
    found = (kind for kind, pattern in _BY_WORDS if pattern.search(words))
    return next(found, endings.FAILED)


def reset_in(words: str, told_at: float | None) -> float | None:
    """`reset after 13h18m8s`, `retry in 5.5s`."""
    found = _RESET.search(words)
    if found is None or told_at is None:
        return None
    parts = re.findall(r"([\d.]+)(ms|[hms])", found[1])
    try:
        return told_at + sum(float(number) * _UNIT[unit] for number, unit in parts)
    except ValueError:
        return None

"""How an amp process ended: its exit code is 0 for most errors, so their words must tell."""

from __future__ import annotations

import re

from . import endings
from .amp_stream import Parser
from .endings import Ended

_STATUS = re.compile(r"(\d{3}) ")
# A used-up balance is fatal, not a limit: no waiting helps.
_BY_WORDS = (
    (endings.AUTH, re.compile(r"unauthori[sz]ed|api key|credit|balance", re.I)),
    (endings.LIMIT, re.compile(r"usage limit|rate.limit", re.I)),
    (endings.OVERLOADED, re.compile(r"overloaded", re.I)),
    (endings.NETWORK, re.compile(r"connection error|cannot reach|fetch failed|timed out", re.I)),
)


def ended(parser: Parser, exit_code: int | None, cause: str | None) -> Ended:
    result = parser.result
    if result is None:
        return endings.without_final_event(exit_code, cause, parser.last_words)
    if result.error is None:
        return endings.without_error(result.text, exit_code, cause)
    return endings.with_error(_kind(result.error), result.error, exit_code, cause, None)


def _kind(words: str) -> str:
    """`429 {"type":"error",...}`, or a sentence."""
    status = _STATUS.match(words)
    if status:
        return endings.by_status(int(status[1]))
    found = (kind for kind, pattern in _BY_WORDS if pattern.search(words))
    return next(found, endings.FAILED)

"""How a Claude process ended, by its own words first and its exit code last."""

from __future__ import annotations

import re

from . import endings
from .claude_stream import Fault, Parser
from .endings import Ended

_BY_SUBTYPE = {"error_max_turns": endings.MAX_TURNS, "error_max_budget_usd": endings.BUDGET}

# A used-up balance is fatal, not a budget: no waiting and no higher --max-cost helps.
_BY_KIND = {
    "authentication_failed": endings.AUTH,
    "billing_error": endings.AUTH,
    "model_not_found": endings.NOT_FOUND,
    "overloaded": endings.OVERLOADED,
    "rate_limit": endings.LIMIT,
}
_BY_WORDS = (
    (endings.LIMIT, re.compile(r"usage limit reached|hit your [^\n]{0,40}limit|rate.limit", re.I)),
    (endings.OVERLOADED, re.compile(r"overloaded", re.I)),
    (endings.AUTH, re.compile(r"invalid api key|/login\b|authenticat", re.I)),
    (endings.NETWORK, re.compile(r"connect|network|socket|fetch failed|timed out|ENOTFOUND", re.I)),
)
# Older clients say this with no error flag, as the whole answer.
_LIMIT_ANSWER = re.compile(r"\s*Claude (?:AI )?usage limit reached(?:\|\d+)?\s*")
_RESET = re.compile(r"limit reached\|(\d{10})(\d{3})?\b")


def ended(parser: Parser, exit_code: int | None, cause: str | None) -> Ended:
    result = parser.result
    if result is None:
        return endings.without_final_event(exit_code, cause, parser.last_words)
    if result.error is not None:
        kind, words = _kind(parser.fault, result.error), result.error
    elif _LIMIT_ANSWER.fullmatch(result.text):
        kind, words = endings.LIMIT, result.text.strip()
    else:
        return endings.without_error(result.text, exit_code, cause)
    return endings.with_error(kind, words, exit_code, cause, parser.reset or _reset_in(words))


def _kind(fault: Fault, words: str) -> str:
    known = _BY_SUBTYPE.get(fault.subtype) or _BY_KIND.get(fault.kind)
    if known:
        return known
    if fault.status is not None:
        return endings.by_status(fault.status)
    if fault.connection or fault.kind == "server_error":
        return endings.NETWORK
    return _kind_in(words)


def _kind_in(words: str) -> str:
    found = (kind for kind, pattern in _BY_WORDS if pattern.search(words))
    return next(found, endings.FAILED)


def _reset_in(words: str) -> float | None:
    """Seconds of the epoch; milliseconds have three digits more."""
    found = _RESET.search(words)
    return float(found[1]) if found else None

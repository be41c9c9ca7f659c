"""One thing that was looked at: how it is, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

OK, WARN, BAD = "ok", "warn", "bad"


class Finding(NamedTuple):
    """`bad` keeps a loop from working, `warn` makes it weaker or is left over; `fix` for both."""

    grade: str
    topic: str
    text: str
    fix: str = ""


def ok(topic: str, text: str) -> Finding:
    return Finding(OK, topic, text)


def warn(topic: str, text: str, fix: str) -> Finding:
    return Finding(WARN, topic, text, fix)


def bad(topic: str, text: str, fix: str) -> Finding:
    return Finding(BAD, topic, text, fix)

"""Events without megabytes: what a journal and a screen can take."""

from __future__ import annotations

from typing import Any

from .events import Event

LONGEST = 20_000


def brief(event: Event) -> Event:
    long: dict[str, Any] = {
        name: cut(value)
        for name, value in event._asdict().items()
        if type(value) is str and len(value) > LONGEST
    }
    return event._replace(**long) if long else event


def cut(text: str) -> str:
    return f"{text[:LONGEST]} [... {len(text) - LONGEST} characters left out ...]"

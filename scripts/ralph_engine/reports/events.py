"""A journal's events as a report may trust them: known types, time that only work takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..core import clock

# So that a figure can always be added up and printed.
_LARGEST = 1e12


class Event(NamedTuple):
    """`gap` is the time since the event before, where the loop was at work or waiting."""

    kind: str
    time: str
    gap: float
    waited: bool
    details: dict[str, Any]

    def text(self, name: str) -> str:
        value = self.details.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        value = self.details.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return float(value) if abs(value) < _LARGEST else None

    def count(self, name: str) -> int:
        return int(self.number(name) or 0)

    def flag(self, name: str) -> bool:
        return self.details.get(name) is True

    def items(self, name: str) -> list[Any]:
        value = self.details.get(name)
        return value if isinstance(value, list) else []


def timed(found: Iterable[dict[str, Any]]) -> list[Event]:
    made: list[Event] = []
    last, before = None, ""
    for details in found:
        kind, time = str(details.get("event")), str(details.get("time"))
        now = clock.seconds(time)
        gap = 0.0 if now is None or last is None else max(0.0, now - last)
        if kind == "taken-up" or before == "paused":
            # Nobody worked: the runner was dead, or a person held it.
            gap = 0.0
        made.append(Event(kind, time, gap, before == "wait", details))
        last, before = (last if now is None else now), kind
    return made


def of(found: Sequence[Event], *kinds: str) -> list[Event]:
    return [event for event in found if event.kind in kinds]


def last(found: Sequence[Event], *kinds: str) -> Event | None:
    return next((event for event in reversed(found) if event.kind in kinds), None)

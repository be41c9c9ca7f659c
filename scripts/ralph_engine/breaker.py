"""Stops a loop that goes round in circles: pure counting."""

from __future__ import annotations

from collections import Counter
from typing import Any

from . import stops
from .core.counted import counted
from .core.own_command import RALPH


class Breaker:
    """`limit` 0 is off."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._idle = self._unsubmitted = 0
        self._reopened: Counter[str] = Counter()

    def count(self, progress: bool, submitted: bool | None) -> None:
        """`submitted` is None where the iteration was not there to submit."""
        self._idle = 0 if progress else self._idle + 1
        if submitted is not None:
            self._unsubmitted = 0 if submitted else self._unsubmitted + 1

    def count_reopened(self, story: str) -> None:
        self._reopened[story] += 1

    def as_json(self) -> list[object]:
        return [self._idle, self._unsubmitted, dict(self._reopened)]

    def take(self, saved: list[Any]) -> None:
        self._idle, self._unsubmitted = saved[0], saved[1]
        self._reopened = Counter(saved[2])

    def limited_to(self, limit: int) -> Breaker:
        """The same counts under another limit."""
        other = Breaker(limit)
        other.take(self.as_json())
        return other

    def tripped(self) -> stops.Stop | None:
        if self._limit == 0:
            return None
        story, times = max(self._reopened.items(), key=lambda item: item[1], default=("", 0))
        for count, noun, why in (
            (self._idle, "iteration", "in a row without progress"),
            (self._unsubmitted, "working iteration", "in a row without a submission that counts"),
            (times, "time", f"{story} was reopened by failing checks"),
        ):
            if count >= self._limit:
                hint = f"look into .ralph/runs, then {RALPH} resume with a higher --breaker"
                return stops.Stop(stops.STALLED, f"breaker: {counted(count, noun)} {why}", hint)
        return None

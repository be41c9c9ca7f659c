"""A wait that ends, whatever the clocks do: pure, the clocks are arguments."""

from __future__ import annotations

from typing import NamedTuple

TOLD_EVERY = 600.0


class Now(NamedTuple):
    """The wall clock can jump; the steady one stands still while the machine sleeps."""

    wall: float
    steady: float


class Countdown:
    def __init__(self, seconds: float, now: Now) -> None:
        self._end = Now(now.wall + seconds, now.steady + seconds)
        self._tell_at = now.steady + TOLD_EVERY

    @property
    def end(self) -> float:
        """By the wall clock."""
        return self._end.wall

    def left(self, now: Now) -> float:
        """By the clock that is further: a sleep counts, and a jump back does not wait again."""
        return max(0.0, min(self._end.wall - now.wall, self._end.steady - now.steady))

    def is_due(self, now: Now) -> bool:
        """Once every ten minutes a person wants to know that it still waits."""
        if now.steady < self._tell_at:
            return False
        self._tell_at = now.steady + TOLD_EVERY
        return True

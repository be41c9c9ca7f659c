"""How long to wait before an agent is tried again, or which ending stands: pure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple, Union

from .agents import endings
from .agents.endings import Ended

MOST_EMPTY = 3
LIMIT_STEPS = (300.0, 900.0, 1800.0, 3600.0)
BACKOFF_STEPS = (5.0, 15.0, 60.0, 300.0)
BACKOFF_IN_ALL = 3600.0
# The longest window that a provider counts in is a month.
_BELIEVED = 32 * 86400.0


class Wait(NamedTuple):
    kind: str
    seconds: float
    why: str


class Bounds(NamedTuple):
    """`now` is a point in time, `left` what is left of the run's own time."""

    now: float
    left: float
    wait_on_limit: bool
    delay: float


Decision = Union[Wait, Ended]


def after(ended: Ended, earlier: Sequence[Wait], bounds: Bounds) -> Decision:
    """`earlier`: the waits that this iteration has had; an Ended is the one that stands."""
    if ended.kind not in endings.RETRIED:
        return ended
    if ended.kind == endings.EMPTY:
        return _after_nothing(ended, earlier, bounds)
    if ended.kind == endings.LIMIT and not bounds.wait_on_limit:
        return _stands(ended, _reset_told(ended, bounds.now))
    if ended.kind == endings.LIMIT:
        seconds = _until_reset(ended, earlier, bounds.now)
    else:
        done = [wait for wait in earlier if wait.kind in endings.BACKED_OFF]
        seconds = _step(BACKOFF_STEPS, len(done))
        if sum(wait.seconds for wait in done) + seconds > BACKOFF_IN_ALL:
            return _stands(ended, f"no better after {int(BACKOFF_IN_ALL // 60)} minutes of waiting")
    if seconds >= bounds.left:
        # A night that ends before the provider is back is better used by stopping now.
        again = clock(bounds.now + seconds, bounds.now)
        return _stands(ended, f"the next try would be at {again}, after the end of --max-duration")
    return Wait(ended.kind, seconds, ended.detail)


def end_of_limit(ended: Ended, met_before: int, now: float) -> float:
    """The point in time: the provider's, where it can be believed."""
    reset = ended.retry_after
    if reset is None or not now < reset <= now + _BELIEVED:
        return now + _step(LIMIT_STEPS, met_before)
    return reset


def clock(at: float, now: float) -> str:
    """As a clock on the wall shows it, with the day where that is not today."""
    then, today = time.localtime(at), time.localtime(now)
    form = "%H:%M:%S" if then[:3] == today[:3] else "%Y-%m-%d %H:%M:%S"
    return time.strftime(form, then)


def _after_nothing(ended: Ended, earlier: Sequence[Wait], bounds: Bounds) -> Decision:
    empty = 1 + sum(wait.kind == endings.EMPTY for wait in earlier)
    if empty >= MOST_EMPTY:
        return Ended(endings.FAILED, "said nothing three times")
    if bounds.delay >= bounds.left:
        return Ended(endings.FAILED, ended.detail)
    return Wait(endings.EMPTY, bounds.delay, ended.detail)


def _until_reset(ended: Ended, earlier: Sequence[Wait], now: float) -> float:
    limits = sum(wait.kind == endings.LIMIT for wait in earlier)
    reset = ended.retry_after
    if reset is None or reset - now > _BELIEVED:
        return _step(LIMIT_STEPS, limits)
    if reset <= now and limits:
        # It has passed, and still the limit stands: one of the clocks is wrong.
        return _step(LIMIT_STEPS, limits - 1)
    return max(1.0, reset - now)


def _reset_told(ended: Ended, now: float) -> str:
    reset = ended.retry_after
    if reset is None or reset - now > _BELIEVED:
        return ""
    return f"it resets at {clock(reset, now)}"


def _step(steps: Sequence[float], index: int) -> float:
    return steps[min(index, len(steps) - 1)]


def _stands(ended: Ended, why: str) -> Ended:
    return ended._replace(detail=f"{ended.detail}; {why}" if why else ended.detail)

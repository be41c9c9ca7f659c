"""The attempts of one iteration: each judged at once, repeated only where nothing was achieved."""

from __future__ import annotations

import time
import uuid

from . import agent_turn, interrupted, marker_file, task_goal
from .agent_turn import Turn
from .agents import endings
from .goal import Goal, Plan
from .outcome import Outcome
from .run_state import Run

MOST_EMPTY = 3
_LIMIT_WAITS = (300.0, 900.0, 1800.0, 3600.0)
_BACKOFF = (5.0, 15.0, 60.0, 300.0)
_BACKOFF_IN_ALL = 3600.0


def until_done(run: Run, goal: Goal, plan: Plan, text: str) -> tuple[Turn, Outcome]:
    number, waited = 0, 0.0
    while True:
        number += 1
        if goal.KIND == task_goal.KIND:
            interrupted.keep(run, plan)
        turn = _attempt(run, plan, goal.KIND, text)
        run.cost += turn.cost or 0.0
        reached = goal.judge(run, plan, turn)
        if not run.on_branch():
            return turn, reached
        interrupted.settled(run)
        wait = _wait_before_retry(run, turn.ended, number, waited)
        if reached.counts and turn.ended.kind in endings.RETRIED:
            return turn._replace(ended=endings.Ended(endings.OK, "its work was done")), reached
        if wait is None or not _sleep(run, wait) or not run.on_branch():
            return _counted(turn), reached
        waited += wait
        run.journal.write("retry", number=number, why=turn.ended.detail)


def _attempt(run: Run, plan: Plan, kind: str, text: str) -> Turn:
    session = str(uuid.uuid4())
    marker_file.write(run, plan.marker, kind, session)
    return agent_turn.take(run, text, session)


def _wait_before_retry(run: Run, ended: endings.Ended, number: int, waited: float) -> float | None:
    """Seconds, or None where there is no further attempt."""
    if run.stop_asked() or ended.kind not in endings.RETRIED:
        return None
    wait = _wanted_wait(run, ended, number, waited)
    # A night that ends before the provider is back is better used by stopping now.
    return wait if wait is not None and wait < run.seconds_left() else None


def _wanted_wait(run: Run, ended: endings.Ended, number: int, waited: float) -> float | None:
    if ended.kind == endings.EMPTY:
        return run.settings.delay if number < MOST_EMPTY else None
    if ended.kind == endings.LIMIT:
        return _limit_wait(run, ended, number)
    wait = _BACKOFF[min(number, len(_BACKOFF)) - 1]
    return wait if waited + wait <= _BACKOFF_IN_ALL else None


def _limit_wait(run: Run, ended: endings.Ended, number: int) -> float | None:
    if not run.settings.wait_on_limit:
        return None
    if ended.retry_after is not None:
        return max(1.0, ended.retry_after - time.time())
    return _LIMIT_WAITS[min(number, len(_LIMIT_WAITS)) - 1]


def _counted(turn: Turn) -> Turn:
    """An agent that said nothing three times has failed; the loop goes on."""
    if turn.ended.kind != endings.EMPTY:
        return turn
    return turn._replace(ended=endings.Ended(endings.FAILED, "said nothing three times"))


def _sleep(run: Run, seconds: float) -> bool:
    """By the wall clock, in slices: a laptop that slept does not wait again."""
    end = time.time() + seconds
    if seconds > 2:
        run.say(f"waiting until {time.strftime('%H:%M:%S', time.localtime(end))}")
    while time.time() < end and not run.stop_asked():
        time.sleep(max(0.0, min(0.2, end - time.time())))
    return not run.stop_asked()

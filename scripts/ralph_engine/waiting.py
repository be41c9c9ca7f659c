"""Sits a wait out: in slices, telling people what remains, ready to stop at once."""

from __future__ import annotations

import time

from . import fallback, interrupts, notify, waits
from .core.own_command import RALPH
from .countdown import Countdown, Now
from .line_view import span
from .run_state import Run
from .stops import LIMIT, Stop
from .waits import Bounds, Wait

_SLICE = 0.2
_WORTH_TELLING = 2.0


def bounds(run: Run) -> Bounds:
    chosen = run.settings
    return Bounds(time.time(), run.seconds_left(), chosen.wait_on_limit, chosen.delay)


def for_provider(run: Run, mode: str) -> Stop | None:
    """Before the iteration that follows one whose agent met a limit, but did its work."""
    assert run.held_back is not None
    (who, ended), run.held_back = run.held_back, None
    if fallback.choose(run, mode).agent != who.agent or fallback.takes_over(run, who, ended):
        return None
    wait = waits.after(ended, [], bounds(run))
    if not isinstance(wait, Wait):
        return Stop(LIMIT, f"provider unavailable: {wait.detail}", f"{RALPH} resume later")
    if not sit_out(run, wait):
        run.held_back = who, ended
    return None


def sit_out(run: Run, wait: Wait) -> bool:
    """False when asked to stop or to pause."""
    countdown = Countdown(wait.seconds, _now())
    told = wait.seconds > _WORTH_TELLING
    with interrupts.wait():
        if told:
            _announce(run, countdown, wait)
        return _pass_time(run, countdown, told) and not run.pause_asked()


def rest(run: Run) -> bool:
    """The delay between iterations; False when asked to stop."""
    return sit_out(run, Wait("delay", run.settings.delay, "the delay between two iterations"))


def _pass_time(run: Run, countdown: Countdown, told: bool) -> bool:
    while (left := countdown.left(_now())) > 0 and not (run.stop_asked() or run.pause_asked()):
        if told and countdown.is_due(_now()):
            run.say(f"still waiting: {span(left)} left")
        time.sleep(min(_SLICE, left))
    return not run.stop_asked()


def _announce(run: Run, countdown: Countdown, wait: Wait) -> None:
    until = waits.clock(countdown.end, time.time())
    sentence = f"waiting until {until} ({span(wait.seconds)}): {wait.why}"
    run.journal.write("wait", kind=wait.kind, seconds=wait.seconds, until=until, why=wait.why)
    notify.of_wait(run, sentence)


def _now() -> Now:
    return Now(time.time(), time.monotonic())

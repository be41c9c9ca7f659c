"""How long the runner waits and when it gives up, with clocks that do as they like."""

from __future__ import annotations

import math
import time

import pytest
from ralph_engine import costs, waits
from ralph_engine.agents import endings
from ralph_engine.agents.endings import Ended
from ralph_engine.countdown import Countdown, Now
from ralph_engine.waits import Bounds, Wait

MINUTE, HOUR = 60.0, 3600.0
NOON = time.mktime((2026, 3, 4, 12, 0, 0, 0, 0, -1))
ENDLESS = Bounds(NOON, math.inf, True, 1.0)


def history(ended: Ended, bounds: Bounds = ENDLESS) -> tuple[list[float], Ended]:
    """All the waits of an ending that comes again and again, and what stands after them."""
    earlier: list[Wait] = []
    while len(earlier) < 100:
        decided = waits.after(ended, earlier, bounds)
        if isinstance(decided, Ended):
            return [wait.seconds for wait in earlier], decided
        earlier.append(decided)
    raise AssertionError(f"no end: {earlier[:9]}")


def limit(reset: float | None = None) -> Ended:
    return Ended(endings.LIMIT, "You've hit your limit", reset)


def next_wait(ended: Ended, earlier: int, bounds: Bounds = ENDLESS) -> float:
    made = [Wait(ended.kind, 1.0, "")] * earlier
    decided = waits.after(ended, made, bounds)
    assert isinstance(decided, Wait)
    return decided.seconds


def test_a_limit_without_a_reset_time_is_waited_for_ever_longer() -> None:
    found = [next_wait(limit(), earlier) for earlier in range(6)]
    assert found == [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, HOUR, HOUR]


@pytest.mark.parametrize(
    ("reset", "seconds"), [(NOON + 3, 3.0), (NOON + 5 * HOUR, 5 * HOUR), (NOON - 60, 1.0)]
)
def test_a_reset_time_is_waited_for(reset: float, seconds: float) -> None:
    assert next_wait(limit(reset), 0) == seconds


def test_a_reset_that_has_passed_in_vain_is_not_hammered_at() -> None:
    found = [next_wait(limit(NOON - 60), earlier) for earlier in range(4)]
    assert found == [1.0, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE]


@pytest.mark.parametrize("reset", [NOON * 1000, 9e15])
def test_a_reset_time_that_nobody_can_mean_is_none(reset: float) -> None:
    assert next_wait(limit(reset), 0) == 5 * MINUTE
    stands = waits.after(limit(reset), [], ENDLESS._replace(wait_on_limit=False))
    assert stands == limit(reset)


@pytest.mark.parametrize(
    ("reset", "told"),
    [
        (None, "You've hit your limit"),
        (NOON + HOUR, "You've hit your limit; it resets at 13:00:00"),
        (NOON + 24 * HOUR, "You've hit your limit; it resets at 2026-03-05 12:00:00"),
    ],
)
def test_who_shall_not_wait_stops_and_names_the_time(reset: float | None, told: str) -> None:
    stands = waits.after(limit(reset), [], ENDLESS._replace(wait_on_limit=False))
    assert isinstance(stands, Ended)
    assert (stands.kind, stands.detail) == (endings.LIMIT, told)


def test_a_reset_beyond_the_runs_time_stops_now_and_names_it() -> None:
    stands = waits.after(limit(NOON + HOUR), [], ENDLESS._replace(left=HOUR - 1))
    assert isinstance(stands, Ended) and stands.kind == endings.LIMIT
    when = "the next try would be at 13:00:00, after the end of --max-duration"
    assert stands.detail == f"You've hit your limit; {when}"
    assert next_wait(limit(NOON + HOUR), 0, ENDLESS._replace(left=HOUR + 1)) == HOUR


@pytest.mark.parametrize("kind", [endings.OVERLOADED, endings.NETWORK])
def test_backoff_grows_and_gives_up_within_an_hour(kind: str) -> None:
    found, stands = history(Ended(kind, "no answer"))
    assert found[:5] == [5.0, 15.0, 60.0, 300.0, 300.0]
    assert HOUR - 300 < sum(found) <= HOUR
    assert stands == Ended(kind, "no answer; no better after 60 minutes of waiting")


def test_waits_of_another_kind_do_not_use_up_the_patience() -> None:
    mixed = [Wait(endings.LIMIT, 5 * HOUR, ""), Wait(endings.EMPTY, 1.0, "")]
    assert waits.after(Ended(endings.NETWORK, "x"), mixed, ENDLESS) == Wait("network", 5.0, "x")
    assert waits.after(limit(), [Wait("network", 5.0, "")] * 3, ENDLESS)[1] == 5 * MINUTE
    assert isinstance(waits.after(Ended(endings.EMPTY, "x"), mixed, ENDLESS), Wait)


def test_an_empty_answer_is_asked_for_three_times() -> None:
    found, stands = history(Ended(endings.EMPTY, "nothing was said"))
    assert found == [1.0, 1.0]
    assert stands == Ended(endings.FAILED, "said nothing three times")


def test_an_empty_answer_at_the_end_of_the_time_has_failed() -> None:
    found, stands = history(Ended(endings.EMPTY, "nothing"), ENDLESS._replace(left=0.5))
    assert (found, stands) == ([], Ended(endings.FAILED, "nothing"))


@pytest.mark.parametrize("kind", sorted(endings.KINDS - endings.RETRIED))
def test_every_other_ending_stands(kind: str) -> None:
    assert waits.after(Ended(kind, "so"), [], ENDLESS) == Ended(kind, "so")


class Clocks:
    """A wall clock that somebody sets, and a steady one that stands still in a sleep."""

    def __init__(self) -> None:
        self.now = Now(NOON, 100.0)

    def pass_(self, seconds: float) -> Now:
        self.now = Now(self.now.wall + seconds, self.now.steady + seconds)
        return self.now

    def jump(self, seconds: float) -> Now:
        self.now = self.now._replace(wall=self.now.wall + seconds)
        return self.now


class TestCountdown:
    @pytest.fixture
    def clocks(self) -> Clocks:
        return Clocks()

    def test_it_runs_with_the_clocks(self, clocks: Clocks) -> None:
        countdown = Countdown(HOUR, clocks.now)
        assert countdown.end == NOON + HOUR
        assert countdown.left(clocks.pass_(600)) == HOUR - 600
        assert countdown.left(clocks.pass_(HOUR - 601)) == 1
        assert countdown.left(clocks.pass_(1)) == 0

    @pytest.mark.parametrize("back", [1.0, HOUR, 400 * 24 * HOUR])
    def test_a_clock_set_back_does_not_prolong_it(self, clocks: Clocks, back: float) -> None:
        countdown = Countdown(HOUR, clocks.now)
        clocks.pass_(600)
        assert countdown.left(clocks.jump(-back)) == HOUR - 600
        assert countdown.left(clocks.pass_(HOUR - 600)) == 0

    @pytest.mark.parametrize("forward", [HOUR, 400 * 24 * HOUR])
    def test_a_clock_set_forward_or_a_sleep_ends_it(self, clocks: Clocks, forward: float) -> None:
        countdown = Countdown(HOUR, clocks.now)
        assert countdown.left(clocks.jump(forward)) == 0

    def test_it_is_never_negative(self, clocks: Clocks) -> None:
        countdown = Countdown(1.0, clocks.now)
        assert countdown.left(clocks.pass_(HOUR)) == 0

    def test_people_hear_of_it_every_ten_minutes(self, clocks: Clocks) -> None:
        countdown = Countdown(HOUR, clocks.now)
        told = [minute for minute in range(1, 31) if countdown.is_due(clocks.pass_(MINUTE))]
        assert told == [10, 20, 30]


@pytest.mark.parametrize(
    ("reported", "highest", "charged"),
    [
        (0.5, 2.0, (0.5, False)),
        (0.0, 2.0, (0.0, False)),
        (None, 2.0, (2.0, True)),
        (None, 0.0, (0.0, True)),
    ],
)
def test_charges(reported: float | None, highest: float, charged: tuple[float, bool]) -> None:
    assert costs.charge(reported, highest) == charged


def test_an_estimate_is_told_as_one() -> None:
    assert costs.sentence(1.5, estimated=True) == "cost: ~$1.50"
    assert costs.sentence(1.5, estimated=False) == "cost: $1.50"
    assert costs.sentence(1.5, False, ["codex"]) == "cost: $1.50 (without codex: no cost is told)"

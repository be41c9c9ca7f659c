"""Where a run stands, by its journal and a clock."""

from __future__ import annotations

import time
from typing import Any

import pytest
from ralph_engine import live
from ralph_engine.core import clock
from ralph_engine.live import Status

NOON = time.mktime((2026, 3, 4, 12, 0, 0, 0, 0, -1))
FIGURES = {"of": 15, "done": 1, "total": 3, "cost": 0.5, "estimated": False, "budget": 5.0}


class Journal:
    """Events at points in time after noon."""

    def __init__(self) -> None:
        self.status = Status()

    def at(self, seconds: float, event: str, /, **details: Any) -> Journal:
        entry = {"time": clock.text(NOON + seconds), "event": event, **details}
        self.status = live.after(self.status, entry)
        return self

    def words(self, seconds: float) -> tuple[str, list[str]]:
        return live.words(self.status, NOON + seconds)


def begun() -> Journal:
    known = {"number": 4, "mode": "implement", "story": "US-3", "title": "Dates"}
    journal = Journal().at(0, "run", id="r-1", goal="tasks", **FIGURES)
    return journal.at(10, "iteration", **known, **FIGURES)


def at_work() -> Journal:
    return begun().at(11, "agent-started", command="x", session="s")


def ended(journal: Journal, at: float, kind: str = "ok", charged: float = 0.7) -> Journal:
    known = {"detail": "it was slow", "charged": charged, "estimated": kind != "ok"}
    return journal.at(at, "agent-ended", kind=kind, **known)


def test_an_agent_at_work() -> None:
    journal = at_work().at(20, "agent", kind="text", text="x")
    assert journal.words(24) == (
        "implement US-3: Dates",
        [
            "the agent works 13s",
            "last output 4s ago",
            "iteration 4 of 15",
            "1 of 3 stories done",
            "cost $0.50 of $5.00",
            "elapsed 24s",
        ],
    )


def test_an_agent_that_has_said_nothing_or_too_much() -> None:
    assert at_work().words(12)[1][1] == "no output yet"
    flooded = at_work().at(20, "agent-flood", text="x")
    assert flooded.words(99)[1][1] == "more output than is recorded"
    again = flooded.at(30, "agent-started", command="x", session="s")
    assert again.words(31)[1][1] == "no output yet"


def test_what_an_attempt_cost_counts_at_once_and_estimates_are_marked() -> None:
    journal = ended(at_work(), 60)
    assert journal.words(61)[1] == [
        "judging 1s",
        "iteration 4 of 15",
        "1 of 3 stories done",
        "cost $1.20 of $5.00",
        "elapsed 1m1s",
        "last end: ok",
    ]
    fields = ended(journal, 70, "timeout").words(71)[1]
    assert "cost ~$1.90 of $5.00" in fields
    assert fields[-1] == "last end: timeout, it was slow"


def test_a_verdict_is_part_of_the_last_end() -> None:
    journal = ended(at_work(), 60).at(61, "verdict", story="US-3", verdict="approved", done=2)
    fields = journal.words(62)[1]
    assert "2 of 3 stories done" in fields
    assert fields[-1] == "last end: ok, US-3 approved"
    journal.at(63, "tasks-rewritten", path="p", why="reopen", uncommitted="", done=1)
    assert "1 of 3 stories done" in journal.words(64)[1]


def test_work_that_was_undone_is_part_of_the_last_end() -> None:
    journal = ended(at_work(), 60)
    for _ in range(3):
        journal.at(61, "violation", rule="r", story="US-3", text="x")
    assert journal.words(62)[1][-1] == "last end: ok, work undone"
    first = begun().at(11, "violation", rule="edited-between", story="", text="x")
    assert "last end" not in " ".join(first.words(12)[1])


def test_the_last_end_stays_until_the_next_one() -> None:
    journal = ended(at_work(), 60).at(61, "submitted", story="US-3", done=1)
    journal.at(70, "iteration", number=5, mode="review", story="US-3", title="Dates", **FIGURES)
    assert journal.words(71)[1][-1] == "last end: ok, US-3 handed in"


def test_without_a_budget_a_cost_or_stories() -> None:
    known = {"of": 10, "budget": None}
    journal = Journal().at(0, "run", id="r", goal="prompt", **known)
    journal.at(1, "iteration", number=1, mode="", story="", title="", **known)
    assert journal.words(2) == (
        "the prompt",
        ["starting 1s", "iteration 1 of 10", "elapsed 2s"],
    )
    journal.at(3, "resumed", number=1, cost=1.5, estimated=True, **known)
    assert "cost ~$1.50" in journal.words(4)[1]


def test_a_wait_counts_down() -> None:
    journal = ended(at_work(), 60).at(60, "wait", seconds=300.0, until="x", why="a limit")
    headline, fields = journal.words(70)
    assert headline == "waiting, 4m50s left, until 12:06:00: a limit"
    assert fields[0] == "at implement US-3"
    assert journal.words(999)[0] == "waiting, 0s left, until 12:06:00: a limit"
    assert journal.at(361, "retry", number=1, why="x").words(362)[1][0] == "starting 1s"


def test_a_pause_is_shown_as_one() -> None:
    journal = ended(at_work(), 60).at(60, "paused", number=4)
    assert journal.words(90)[0] == (
        "paused for 30s: nothing runs, editing is safe; `resume` goes on"
    )
    assert journal.at(99, "resumed", number=4).words(100)[0] == "implement US-3: Dates"


def test_a_clock_that_was_set_back_counts_nothing() -> None:
    assert at_work().words(-500)[1][0] == "the agent works 0s"


def test_an_end_and_a_run_that_goes_on_after_it() -> None:
    journal = ended(at_work(), 60).at(61, "end", code=1, status="exhausted", why="x", **FIGURES)
    assert journal.status.end is not None
    journal.at(500, "resumed", id="r-1", number=4, **{**FIGURES, "of": 30})
    assert journal.status.end is None
    assert "elapsed 10s" in journal.words(510)[1]
    assert "iteration 4 of 30" in journal.words(510)[1]


def test_a_run_that_is_taken_up_is_known_without_its_past() -> None:
    journal = Journal().at(0, "resumed", id="r-1", number=4, **FIGURES)
    assert journal.status.run == "r-1"
    assert journal.words(5)[1] == [
        "starting 5s",
        "iteration 4 of 15",
        "1 of 3 stories done",
        "cost $0.50 of $5.00",
        "elapsed 5s",
    ]


def test_what_happened_so_far_is_told_in_brief() -> None:
    journal = Journal().at(0, "run", id="r-1", goal="tasks", **FIGURES)
    for number in range(1, 9):
        known = {"mode": "review", "story": f"US-{number}", "title": "T", **FIGURES}
        journal.at(number * 60, "iteration", number=number, **known)
        if number < 8:
            ended(journal, number * 60 + 30, "ok" if number < 7 else "failed")
    assert live.brief(journal.status, NOON + 500) == [
        "run r-1, since 12:00:00",
        "2 iterations before",
        "iteration 3: review US-3: ok (1m0s)",
        "iteration 4: review US-4: ok (1m0s)",
        "iteration 5: review US-5: ok (1m0s)",
        "iteration 6: review US-6: ok (1m0s)",
        "iteration 7: review US-7: failed, it was slow (1m0s)",
        "now: review US-8: T",
    ]


def test_a_brief_of_what_has_just_begun() -> None:
    journal = Journal().at(0, "run", id="r-1", goal="tasks", **FIGURES)
    assert live.brief(journal.status, NOON + 5) == ["run r-1, since 12:00:00"]


BROKEN: list[Any] = [None, "\x1b[2J\n", [], {}, 1e999, float("nan"), 10**400, "x" * 10_000]


@pytest.mark.parametrize("value", BROKEN, ids=lambda value: repr(value)[:12])
def test_a_journal_that_somebody_altered_is_still_read(value: Any) -> None:
    keys = ["id", "number", "mode", "story", "title", "kind", "detail", "charged", "estimated"]
    keys += ["verdict", "seconds", "why", *FIGURES]
    for name in live._CHANGES:
        journal = ended(at_work(), 60).at(61, name, **dict.fromkeys(keys, value))
        headline, fields = journal.words(70)
        brief = live.brief(journal.status, NOON + 70)
        assert all(text.isprintable() for text in (headline, *fields, *brief)), name
        journal.status = live.after(journal.status, {"event": name, "time": value})


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_that_is_none_is_not_taken(name: str) -> None:
    """Each alone: a figure that cannot be shown would hide the others."""
    journal = at_work().at(12, "tasks-rewritten", **{name: "\x1b[2J"})
    assert journal.words(13) == at_work().words(13)


def test_long_words_of_an_agent_do_not_grow_the_status() -> None:
    journal = at_work()
    for _ in range(50):
        journal.at(60, "agent-ended", kind="failed", detail="x" * 10_000, charged=0, estimated=0)
        journal.at(61, "wait", seconds=1, until="", why="y" * 10_000)
        journal.at(62, "iteration", number=5, mode="m", story="s", title="t", **FIGURES)
    assert len(str(journal.status)) < 3_000

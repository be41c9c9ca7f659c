"""What a journal tells, event by event."""

from __future__ import annotations

import pytest
from ralph_engine.reports import facts
from ralph_engine.reports.facts import Facts
from reports.told_run import HEAD, RUN, ToldRun, listed

MINUTE = 60.0


def of(told: ToldRun) -> Facts:
    return facts.gather(RUN, told.events, 0)


def one_story() -> ToldRun:
    return ToldRun(listed("US-1"))


def test_a_run_begins_with_its_name_branch_and_commit() -> None:
    found = of(one_story())
    told = (found.run, found.goal, found.project, found.branch, found.head)
    assert told == (RUN, "tasks", "Shop", "ralph/shop", HEAD)
    assert found.begun == "2026-03-02T22:15:00Z"


def test_an_iteration_takes_the_time_between_its_events() -> None:
    told = one_story().begin("implement", "US-1").work(2 * MINUTE, 0.5).check("make")
    told.end_iteration().begin("implement", "US-1").work(5 * MINUTE, 0.25).end_iteration()
    first, second = of(told).iterations
    assert (first.seconds, second.seconds) == (2 * MINUTE + 2, 5 * MINUTE)
    assert (first.cost.usd, second.cost.usd) == (0.5, 0.25)
    assert of(told).seconds == 7 * MINUTE + 4


def test_what_comes_after_an_iteration_is_not_its_own() -> None:
    told = one_story().begin("implement", "US-1").work(10, 0.1).end_iteration()
    told.check("make", 1).tell("violation", rule="edited-between", story="", text="x")
    [iteration] = of(told).iterations
    assert (iteration.seconds, iteration.checks, iteration.undone) == (10, [], [])


def test_the_time_of_a_dead_runner_counts_for_nobody() -> None:
    told = one_story().begin("implement", "US-1").tell("agent-started", 1, command="", session="")
    told.tell("check", 30, command="a", code=0, log="").tell("taken-up", 8 * 3600, number=1)
    told.tell("agent-ended", 1, kind="signal", detail="", cost=None, charged=0.0, estimated=True)
    told.tell("resumed", 1, id=RUN, goal="tasks", number=1, stories=[listed("US-1")], whole=True)
    [iteration] = of(told).iterations
    assert iteration.seconds == 33
    assert of(told).seconds == 34


def test_a_pause_is_no_working_time() -> None:
    told = one_story().tell("paused", 1, number=0).tell("resumed", 3600, number=0)
    assert of(told).seconds == 1


def test_a_wait_is_told_apart() -> None:
    told = one_story().begin("implement", "US-1").work(60, 0.1, kind="limit")
    told.tell("wait", 0, kind="limit", seconds=900.0, until="", why="usage limit")
    told.tell("retry", 900, number=1, why="").work(120, 0.3).end_iteration()
    [iteration] = of(told).iterations
    assert (iteration.seconds, iteration.waited) == (1080, 900)
    assert [ending.text("kind") for ending in iteration.endings] == ["limit", "ok"]
    assert iteration.cost.usd == pytest.approx(0.4)


def test_a_clock_that_was_set_back_takes_no_time_away() -> None:
    told = one_story().begin("implement", "US-1").work(-3600, 0.1).end_iteration()
    assert [iteration.seconds for iteration in of(told).iterations] == [0]


def test_an_attempt_without_a_figure_makes_the_sum_an_estimate() -> None:
    told = one_story().begin("implement", "US-1").work(1, 0.5).end_iteration()
    assert of(told).cost == (0.5, True, False)
    told.begin("implement", "US-1").work(1, None).end_iteration()
    assert of(told).cost == (0.5, True, True)
    silent = one_story().begin("implement", "US-1").work(1, None).end_iteration()
    assert of(silent).cost == (0.0, False, True)


def test_a_story_through_its_reviews() -> None:
    story = listed("US-1", "Say hello")
    told = ToldRun(story).submits(story, 100, 1.0)
    told.reviewed({**story, "reviews": 1}, "changes_requested", 50)
    told.submits({**story, "reviews": 1}, 100, 1.0)
    told.reviewed({**story, "reviews": 2}, "approved", 50)
    [found] = of(told.end()).stories
    assert found.listed[:5] == ("US-1", "Say hello", True, "approved", 2)
    assert (found.iterations, found.seconds) == (4, 300 + 4 * 2)
    assert found.cost.usd == pytest.approx(2.7)
    # That of the last review, not that of the first.
    assert found.commit == "004c" * 10


def test_an_open_story_rests_on_no_commit() -> None:
    story = listed("US-1")
    told = ToldRun(story).submits(story).reviewed({**story, "reviews": 1}, "approved")
    told.end_iteration({**story, "status": "changes_requested"})
    assert [found.commit for found in of(told).stories] == [""]


def test_without_reviews_a_story_rests_on_the_end_of_its_iteration() -> None:
    told = ToldRun(listed("US-1"), listed("US-2"))
    told.begin("implement", "US-1").work(5, 0.1).tell("passed", story="US-2")
    told.end_iteration(listed("US-2", passes=True))
    first, second = of(told).stories
    assert (first.commit, first.iterations) == ("", 0)
    assert (second.commit, second.iterations) == (f"{1:040x}", 1)


def test_the_stories_left_after_each_iteration() -> None:
    stories = [listed("US-1"), listed("US-2"), listed("US-3")]
    told = ToldRun(*stories).submits(stories[0])
    told.reviewed({**stories[0], "reviews": 1}, "approved")
    parts = [listed("US-1", status="approved"), listed("US-2a"), listed("US-2b"), listed("US-3")]
    told.begin("implement", "US-2").work(5, 0.1).tell("split").end_iteration(*parts, whole=True)
    found = of(told)
    assert found.left_at_start == 3
    assert [iteration.left for iteration in found.iterations] == [3, 2, 3]
    assert [story.listed.name for story in found.stories] == ["US-1", "US-2a", "US-2b", "US-3"]


def test_a_prompt_has_no_stories() -> None:
    told = ToldRun(goal="prompt").begin("", "").work(5, 0.1).end_iteration()
    found = of(told)
    assert (found.stories, found.left_at_start) == ([], 0)
    assert [iteration.left for iteration in found.iterations] == [None]


def test_trusted_is_what_no_review_saw() -> None:
    done = [listed("US-1", status="approved"), listed("US-2", status="approved")]
    told = ToldRun(*done).tell("trusted", story="US-1").tell("trusted", story="US-2")
    told.reviewed({**done[1], "reviews": 2}, "approved")
    assert [story.trusted for story in of(told).stories] == [True, False]


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ({"event": "end", "status": "stalled", "why": "breaker", "hint": "look"}, "stalled"),
        ({"event": "paused", "number": 1}, "paused"),
        ({"event": "wait", "seconds": 5.0}, "waiting"),
        ({"event": "agent-started"}, "unfinished"),
    ],
)
def test_the_ending(last: dict[str, object], status: str) -> None:
    details = {name: value for name, value in last.items() if name != "event"}
    told = one_story().begin("implement", "US-1").tell(str(last["event"]), 1, **details)
    assert of(told).ending.status == status


def test_a_run_that_goes_on_has_no_end_any_more() -> None:
    told = one_story().end("interrupted", 130, "interrupted")
    told.tell("resumed", 9, id=RUN, goal="tasks", number=0, stories=[], whole=True)
    assert of(told).ending.status == "unfinished"


def test_a_check_counts_as_it_ended_last() -> None:
    told = one_story().check("a", 1).check("b", 0).check("a", 0).check("b", None)
    assert [(c.command, c.code) for c in facts.last_checks(of(told))] == [("a", 0), ("b", None)]

"""The pure parts of the runner: outcomes, approvals, breaker, claims, check texts."""

from __future__ import annotations

from typing import Any

import pytest
from ralph_engine import approvals, breaker, checks, outcome, response
from ralph_engine.core import snapshot
from rules import story, task_list

Entry = dict[str, Any]


def entry(name: str, event: str = "approved", **changes: Any) -> Entry:
    known = {"event": event, "branch": task_list()["branchName"], "story": name, "reviewed": "c1"}
    return {**known, "frozen": snapshot.whole_digest(story(name)), **changes}


def done(name: str, **changes: Any) -> dict[str, Any]:
    return story(name, passes=True, reviewStatus="approved", reviewCount=1, notes="n", **changes)


@pytest.mark.parametrize(
    ("known", "stands"),
    [
        ([], False),
        ([entry("US-1")], True),
        ([entry("US-1", "trusted")], True),
        ([entry("US-1", "changes_requested")], False),
        ([entry("US-1"), entry("US-1", "reopened")], False),
        ([entry("US-1"), entry("US-1", "submitted")], False),
        ([entry("US-1", "reopened"), entry("US-1")], True),
        ([entry("US-2")], False),
        ([entry("US-1", branch="another")], False),
        ([entry("US-1", frozen="of other criteria")], False),
        ([entry("US-1", reviewed="lost")], False),
    ],
)
def test_which_approvals_the_ledger_stands_behind(known: list[Entry], stands: bool) -> None:
    document = task_list(done("US-1"))
    behind = approvals.standing(known, document, lambda commit: commit != "lost")
    assert (list(behind) == ["US-1"]) is stands
    assert approvals.unseen(document, behind) == ([] if stands else ["US-1"])


def test_the_story_to_reopen_is_the_one_approved_last() -> None:
    document = task_list(done("US-1"), done("US-2"), story("US-3"))
    known = [entry("US-2"), entry("US-1"), entry("US-3")]
    assert approvals.last_approved(known, document) == "US-1"
    assert approvals.last_approved([], document) == "US-2"


def test_accepted_at_cap_is_told_by_its_mark() -> None:
    capped = done("US-1", reviewFeedback="[AUTO-APPROVED AT CAP] no tests")
    assert approvals.accepted_at_cap(task_list(capped, done("US-2"))) == ["US-1"]


@pytest.mark.parametrize(
    ("before", "after", "reached"),
    [
        ([story("A")], [story("A")], outcome.Outcome()),
        (
            [story("A")],
            [story("A", reviewStatus="needs_review")],
            outcome.Outcome(submitted="A"),
        ),
        (
            [story("A", reviewStatus="needs_review")],
            [done("A")],
            outcome.Outcome(verdict="approved", passed="A"),
        ),
        (
            [story("A", reviewStatus="needs_review")],
            [story("A", reviewStatus="changes_requested", reviewCount=1, reviewFeedback="f")],
            outcome.Outcome(verdict="changes_requested"),
        ),
        (
            [story("A")],
            [story("B", splitFrom="A", reviewStatus="needs_review"), story("C", splitFrom="A")],
            outcome.Outcome(submitted="B", split=True),
        ),
    ],
)
def test_what_an_iteration_achieved(
    before: list[Any], after: list[Any], reached: outcome.Outcome
) -> None:
    assert outcome.of(task_list(*before), task_list(*after), "A") == reached


def test_the_breaker_counts_in_a_row() -> None:
    counting = breaker.Breaker(2)
    for progress in (False, True, False):
        counting.count(progress, None)
        assert counting.tripped() is None
    counting.count(False, None)
    stop = counting.tripped()
    assert stop is not None and (stop.code, stop.status) == (3, "stalled")
    assert "2 iterations in a row without progress" in stop.why


def test_the_breaker_counts_work_without_submission_and_reopenings() -> None:
    counting = breaker.Breaker(2)
    counting.count(True, False)
    counting.count(True, None)
    counting.count(True, False)
    assert "without a submission" in str(counting.tripped())
    reopening = breaker.Breaker(2)
    reopening.count_reopened("US-1")
    reopening.count_reopened("US-2")
    assert reopening.tripped() is None
    reopening.count_reopened("US-1")
    assert "2 times US-1 was reopened" in str(reopening.tripped())


def test_a_breaker_of_0_is_off() -> None:
    off = breaker.Breaker(0)
    off.count(False, False)
    assert off.tripped() is None


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("<response>DONE</response>", True),
        ("All good.\n<Response> done </RESPONSE>", True),
        ("<response>not yet</response> <response>DONE</response>", False),
        ("<response>DONE!</response>", False),
        ("DONE", False),
        ("<response>\nDONE\n</response>", True),
        ("<response></response>", False),
    ],
)
def test_the_first_response_tag_wins(answer: str, done: bool) -> None:
    assert response.says_done(answer, "DONE") is done


@pytest.mark.parametrize(
    ("command", "slug"),
    [
        ("./mvnw clean install -T 2C", "mvnw_clean_install_T_2C"),
        ("make test", "make_test"),
        ("a" * 60, "a" * 50),
        ("***", "check"),
    ],
)
def test_log_names(command: str, slug: str) -> None:
    assert checks.slug(command) == slug


@pytest.mark.parametrize(
    ("output", "shown"), [("12345", "12345"), ("123456", "12345... [truncated]")]
)
def test_a_failure_is_told_in_five_lines(output: str, shown: str) -> None:
    check = checks.Check("make test", hint="Fix the tests, never the runner" * 9)
    result = checks.Result(check, 2, ".ralph/guardrail_1_make_test.log", output, 0.1)
    assert checks.failure_text(result, 5).split("\n") == [
        'Guardrail "make test" failed with exit code 2.',
        "Hint: " + "Fix the tests, never the runner" * 9,
        "Output file: .ralph/guardrail_1_make_test.log",
        "Output (truncated):",
        shown,
    ]

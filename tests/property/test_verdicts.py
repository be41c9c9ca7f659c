"""For any edit of any valid list the judge says what the truth table says."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from property import bad_splits, edits, lists
from property.judge import Terms, marker_for
from property.truth_table import consistent, legal
from ralph_engine.core import review, snapshot, tasks, transitions

Json = dict[str, Any]
SKIP_REVIEW = "skip-review"
KINDS = [*review.MODES, SKIP_REVIEW]


@st.composite
def iterations(draw: lists.Draw, kind: str | None = None) -> tuple[Json, Json, Terms]:
    """A list, the agent's version of it, and the terms of the iteration."""
    kind = kind or draw(st.sampled_from(KINDS))
    skip_review = kind == SKIP_REVIEW
    mode = "implement" if skip_review else kind
    document, picked = draw(lists.documents_of(mode, skipped=skip_review))
    terms = Terms(
        mode,
        draw(st.sampled_from([picked, picked, picked, None])),
        draw(st.none() | st.integers(1, 4)),
        draw(st.sampled_from(["approve", "hold"])),
        skip_review,
        draw(st.sampled_from([False, False, False, True])),
    )
    return document, draw(edits.edited(document, mode, picked)), terms


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_check_2_5_says_what_the_truth_table_says(kind: str, data: st.DataObject) -> None:
    before, after, terms = data.draw(iterations(kind))
    expected = legal(before, after, *terms)
    event(f"legal={expected}")
    found = transitions.violations(after, marker_for(before, terms))
    assert (found == []) == expected, found


@given(st.data())
def test_a_split_is_judged_as_the_truth_table_says(data: st.DataObject) -> None:
    before, picked = data.draw(lists.documents_of("implement"))
    terms = Terms("implement", picked)
    after = data.draw(bad_splits.badly_split(before))
    expected = legal(before, after, *terms)
    event(f"legal={expected}")
    found = transitions.violations(after, marker_for(before, terms))
    assert (found == []) == expected, found


@given(st.data(), lists.documents(), st.none() | st.integers(1, 4))
def test_check_2_says_what_the_truth_table_says(
    data: st.DataObject, before: Json, cap: int | None
) -> None:
    after = copy.deepcopy(before)
    for story in after["userStories"]:
        data.draw(st.sampled_from([_leave, _leave, _forge, _count_on]))(data, story)
    marker = marker_for(before, Terms("review", None, cap))
    expected = consistent(after, before, cap)
    event(f"consistent={expected}")
    assert (review.invariants(after, marker) == []) == expected
    assert review.invariants(after, {**marker, "skipReview": True}) == []


def _leave(data: st.DataObject, story: Json) -> None:
    """As it was."""


def _forge(data: st.DataObject, story: Json) -> None:
    story.update(data.draw(lists.any_review_fields))


def _count_on(data: st.DataObject, story: Json) -> None:
    story["reviewCount"] += data.draw(st.integers(1, 3))


@given(iterations())
def test_a_violation_names_a_story_that_is_or_was(iteration: tuple[Json, Json, Terms]) -> None:
    before, after, terms = iteration
    names = {story["id"] for story in before["userStories"] + after["userStories"]}
    for violation in transitions.violations(after, marker_for(before, terms)):
        if violation.rule == "verify-commands" or terms.picked is None:
            names.add("")
        assert violation.story in names


@given(iterations())
def test_lists_and_their_edits_are_valid(iteration: tuple[Json, Json, Terms]) -> None:
    before, after, terms = iteration
    assert tasks.faults(before) == []
    assert tasks.faults(after) == []
    assert terms.skip_review or consistent(before, before, terms.cap)


@given(*[st.text(st.sampled_from("\ud800\udfff?\ufffde\u0301é\\u"), max_size=3)] * 2)
def test_digests_tell_entries_apart(one: str, other: str) -> None:
    assert (snapshot.digests([one]) == snapshot.digests([other])) == (one == other)
    assert _whole([one, other]) != _whole([one + other])


def _whole(entries: list[str]) -> str:
    return snapshot.whole_digest({"acceptanceCriteria": entries})

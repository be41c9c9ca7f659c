"""From every list an agent can leave behind, some legal action leads on."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from property import actions, edits, judge, lists
from ralph_engine.core import review

Json = dict[str, Any]


@st.composite
def reachable(draw: lists.Draw, skip_review: bool) -> Json:
    """A valid list after up to three iterations of an agent that does anything."""
    document = draw(lists.documents(skipped=skip_review))
    for _ in range(draw(st.integers(0, 3))):
        if judge.all_pass(document):
            break
        terms = judge.terms_for(document, cap=4, skip_review=skip_review)
        current = draw(edits.edited(document, terms.mode, terms.picked))
        document = judge.judged(document, current, judge.marker_for(document, terms))
    return document


@given(reachable(skip_review=False))
def test_a_list_with_work_left_leads_to_completion(document: Json) -> None:
    document = _walked(document, skip_review=False)
    assert all(judge.is_done(story) for story in document["userStories"])


@given(reachable(skip_review=True))
def test_without_reviews_work_left_leads_to_completion(document: Json) -> None:
    assert judge.all_pass(_walked(document, skip_review=True))


def _walked(document: Json, skip_review: bool) -> Json:
    work = _work_left(document)
    while work:
        document = _step(document, skip_review)
        assert _work_left(document) < work
        work = _work_left(document)
    return document


def _step(document: Json, skip_review: bool) -> Json:
    mode = review.mode_of(document, skip_review)
    story = review.pick(document, mode, skip_review)
    assert story is not None, "work is left and no story can be taken"
    cap = max(4, story["reviewCount"] + 1)
    terms = judge.Terms(mode, story["id"], cap, skip_review=skip_review)
    after = actions.canonical(document, mode, story["id"], skip_review)
    assert judge.complaints(after, judge.marker_for(document, terms)) == []
    return after


def _work_left(document: Json) -> int:
    """How many legal actions are needed at least."""
    steps = {None: 2, "changes_requested": 2, "needs_review": 1, "approved": 1}
    return sum(
        steps[story["reviewStatus"]] for story in document["userStories"] if not story["passes"]
    )

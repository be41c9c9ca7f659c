"""Whatever legal way a list takes to completion, no check ever objects."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st
from property import actions, edits, judge, lists
from property.judge import Terms

Json = dict[str, Any]
FREE_STEPS = 8
CROWD = 9


@given(st.data(), lists.documents(), st.integers(1, 3), st.sampled_from(["approve", "hold"]))
def test_every_legal_walk_is_accepted(
    data: st.DataObject, document: Json, cap: int, at_cap: str
) -> None:
    counts = judge.counts_of(document)
    for _ in range(data.draw(st.integers(0, FREE_STEPS))):
        if judge.all_pass(document):
            break
        terms = _terms(document, cap, at_cap, counts)
        after = data.draw(legal_steps(document, terms))
        _accepts(document, after, terms)
        # A rejection at the cap stops the loop; going on is a resume.
        counts = judge.counts_of(after) if _held(after, terms) else counts
        document = after
    _walk_home(document, cap, at_cap, counts)


@st.composite
def legal_steps(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    before = draw(edits.retouched(document))
    step = draw(st.sampled_from(STEPS[terms.mode]))
    event(step.__name__)
    after = step(draw, before, terms)
    crowded = len(after["userStories"]) > CROWD
    return after if crowded or draw(st.booleans()) else draw(edits.with_new_work(after))


def _submit(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    return actions.submit(document, draw(st.sampled_from(_eligible(document))))


def _submit_a_part(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    parts = lists.unused_ids(document, draw(st.integers(1, 3)))
    name = draw(st.sampled_from(_eligible(document)))
    return actions.submit(actions.split(document, name, parts), parts[0])


def _split_some(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    """In every mode, next to what the mode asks for."""
    names = [s["id"] for s in document["userStories"] if s["reviewStatus"] is None]
    if names and len(document["userStories"]) < CROWD:
        for name in draw(st.lists(st.sampled_from(names), unique=True, max_size=2)):
            parts = lists.unused_ids(document, draw(st.integers(1, 2)))
            document = actions.split(document, name, parts)
    return document if terms.mode == "implement" else _as_meant(draw, document, terms)


def _approve(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    return actions.approve(document, terms.picked, draw(lists.feedbacks))


def _reject(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    count = actions.story_of(document, terms.picked)["reviewCount"] + 1
    if count >= terms.cap and terms.at_cap == "approve":
        return actions.approve(document, terms.picked, lists.CAP_MARK)
    return actions.reject(document, terms.picked)


def _resubmit(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    return actions.resubmit(document, terms.picked)


def _nothing(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    return document


def _as_meant(draw: lists.Draw, document: Json, terms: Terms) -> Json:
    return actions.canonical(document, terms.mode, terms.picked)


STEPS = {
    "implement": (_submit, _submit_a_part, _split_some, _nothing),
    "review": (_approve, _reject, _split_some),
    "review-fix": (_resubmit, _split_some, _nothing),
}


def _eligible(document: Json) -> list[str]:
    passing = [story["id"] for story in document["userStories"] if story["passes"]]
    return [
        story["id"]
        for story in document["userStories"]
        if story["reviewStatus"] is None
        and all(other in passing for other in story.get("dependsOn", []))
    ]


def _terms(document: Json, cap: int, at_cap: str, counts: Json) -> Terms:
    terms = judge.terms_for(document, at_cap=at_cap)
    story = actions.story_of(document, terms.picked)
    return terms._replace(cap=judge.own_cap(story, cap, counts))


def _held(document: Json, terms: Terms) -> bool:
    story = next((s for s in document["userStories"] if s["id"] == terms.picked), None)
    if story is None or terms.mode != "review":
        return False
    return story["reviewStatus"] == "changes_requested" and story["reviewCount"] >= terms.cap


def _walk_home(document: Json, cap: int, at_cap: str, counts: Json) -> None:
    for _ in range(3 * len(document["userStories"])):
        if judge.all_pass(document):
            break
        terms = _terms(document, cap, at_cap, counts)
        after = _as_meant(None, document, terms)
        _accepts(document, after, terms)
        document = after
    assert all(judge.is_done(story) for story in document["userStories"])


def _accepts(before: Json, after: Json, terms: Terms) -> None:
    assert judge.complaints(after, judge.marker_for(before, terms)) == []

"""Strategies: a story is split, mostly with one flaw."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st
from property import actions, lists
from property.settled import settled

Json = dict[str, Any]


@st.composite
def badly_split(draw: lists.Draw, document: Json) -> Json:
    result = copy.deepcopy(document)
    split_badly(draw, result)
    return settled(result)


def split_badly(draw: lists.Draw, document: Json) -> None:
    """A split with one flaw, preferably of a story that others wait for."""
    names = [s["id"] for s in document["userStories"] if s["reviewStatus"] is None]
    awaited = [name for name in names if _dependents(document, name)]
    if names:
        name = draw(st.sampled_from(awaited or names))
        parts = lists.unused_ids(document, 2)
        document.update(actions.split(document, name, parts))
        draw(st.sampled_from(FLAWS))(draw, document, name, parts)


def _lose_an_entry(draw: lists.Draw, document: Json, name: str, parts: list[str]) -> None:
    stories = [actions.story_of(document, part) for part in parts]
    entries = [s[field] for s in stories for field in ("verify", "acceptanceCriteria") if s[field]]
    del draw(st.sampled_from(entries))[0]


def _forget_a_part(draw: lists.Draw, document: Json, name: str, parts: list[str]) -> None:
    """Some story no longer waits for it."""
    part = draw(st.sampled_from(parts))
    dependents = _dependents(document, part)
    if dependents:
        draw(st.sampled_from(dependents))["dependsOn"].remove(part)


def _split_a_dependent(draw: lists.Draw, document: Json, name: str, parts: list[str]) -> None:
    """Its parts wait for nothing, or for all."""
    dependents = [s for s in _dependents(document, parts[0]) if s["reviewStatus"] is None]
    if dependents:
        heir = lists.unused_ids(document, 1)
        document.update(actions.split(document, draw(st.sampled_from(dependents))["id"], heir))
        if draw(st.booleans()):
            actions.story_of(document, heir[0])["dependsOn"] = []


def _dependents(document: Json, name: str) -> list[Json]:
    return [story for story in document["userStories"] if name in story.get("dependsOn", [])]


def _hand_over(draw: lists.Draw, document: Json, name: str, parts: list[str]) -> None:
    """Not new stories but an old one claims to be the parts."""
    merged = [actions.story_of(document, part) for part in parts]
    heir = draw(st.sampled_from(document["userStories"]))
    if heir["id"] not in parts:
        document["userStories"] = [s for s in document["userStories"] if s not in merged]
        heir["splitFrom"] = name
        for part in merged:
            heir["acceptanceCriteria"] = heir["acceptanceCriteria"] + part["acceptanceCriteria"]
            heir["verify"] = heir.get("verify", []) + part["verify"]


def _rename_origin(draw: lists.Draw, document: Json, name: str, parts: list[str]) -> None:
    part = actions.story_of(document, draw(st.sampled_from(parts)))
    part["splitFrom"] = draw(st.sampled_from([story["id"] for story in document["userStories"]]))


def _submit_from(draw: lists.Draw, document: Json, name: str, parts: list[str]) -> None:
    for part in draw(st.sampled_from([parts[:1], parts])):
        actions.story_of(document, part)["reviewStatus"] = "needs_review"


FLAWS = (
    _lose_an_entry,
    _forget_a_part,
    _split_a_dependent,
    _hand_over,
    _rename_origin,
    _submit_from,
)

"""What a hostile agent makes of a task list, and what must still be found in it afterwards."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st
from property import edits, judge, lists
from property.judge import Terms

Json = dict[str, Any]
# Reported, and yet nothing to take back: the reviewer's word, or none.
STANDS = {"no-verdict", "rejected-at-cap"}
DONE = {"passes": True, "reviewStatus": "approved", "notes": "trust me"}
_KINDS = [*["edit"] * 6, "forged", "forged", "older", "all done", "broken", "gone"]


@st.composite
def versions(draw: lists.Draw, kept: Json, terms: Terms, older: list[Json]) -> Json | None:
    """The agent's version of the list that the runner judged last; None: it is gone."""
    kind = draw(st.sampled_from(_KINDS))
    if kind == "edit":
        return draw(edits.edited(kept, terms.mode, terms.picked))
    if kind == "older":
        return draw(st.sampled_from(older))
    if kind == "gone":
        return None
    result = copy.deepcopy(kept)
    if kind == "forged":
        return _forged(result)
    for story in result["userStories"]:
        story.update(DONE if kind == "all done" else {"passes": "yes"})
    return result


def _forged(document: Json) -> Json:
    """What was submitted before is approved at once, and one more story submitted."""
    to_do = [s for s in document["userStories"] if s["reviewStatus"] is None]
    for story in document["userStories"]:
        if story["reviewStatus"] == "needs_review":
            story.update(DONE)
    for story in to_do[:1]:
        story["reviewStatus"] = "needs_review"
    return document


def done(document: Json) -> set[str]:
    return {story["id"] for story in document["userStories"] if judge.is_done(story)}


def lost(before: Json, after: Json) -> list[str]:
    """Names of stories whose work cannot be found again."""
    left = {story["id"]: story for story in after["userStories"]}
    names = {story["id"] for story in before["userStories"]}
    found = [] if _stands_in(before, [after], "verifyCommands") else ["verifyCommands"]
    for story in before["userStories"]:
        parts = [left[story["id"]]] if story["id"] in left else _parts(story, left, names)
        fields = ("acceptanceCriteria", "verify")
        if not parts or not all(_stands_in(story, parts, field) for field in fields):
            found.append(story["id"])
    return found


def _parts(story: Json, left: Json, names: set[str]) -> list[Json]:
    if story["passes"] or story["reviewStatus"] is not None:
        return []
    return [
        part
        for name, part in left.items()
        if name not in names and part.get("splitFrom") == story["id"]
    ]


def _stands_in(owner: Json, others: list[Json], field: str) -> bool:
    entries = {entry for other in others for entry in other.get(field, [])}
    return entries >= set(owner.get(field, []))

"""What a bad agent does to the task list: edits as data, applied to a copy."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import review
from ..core.tasks import Document, Story


def edited(document: Document, edits: Sequence[Mapping[str, Any]]) -> Document:
    """The first story of the list is the picked one."""
    result: Document = copy.deepcopy(document)
    for edit in edits:
        result.update(edit.get("top", {}))
        for story in _meant(result["userStories"], edit.get("story", "")):
            _change(result["userStories"], story, edit)
    return result


def without_reviews(edit: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where nobody reviews, a story is handed in as one that passes."""
    wanted = dict(edit.get("set", {}))
    if wanted.get("reviewStatus") != review.WAITING:
        return edit
    del wanted["reviewStatus"]
    return {**edit, "set": {**wanted, "passes": True}}


def _meant(stories: list[Story], which: str) -> list[Story]:
    return {"picked": stories[:1], "other": stories[1:2], "all": [*stories], "": []}[which]


def _change(stories: list[Story], story: Story, edit: Mapping[str, Any]) -> None:
    story.update(copy.deepcopy(edit.get("set", {})))
    story["reviewCount"] += edit.get("count", 0)
    at = stories.index(story)
    if "split" in edit:
        part = {**story, "id": f"{story['id']}-part", "splitFrom": story["id"], **edit["split"]}
        stories[at : at + 1] = [part]
    elif edit.get("remove"):
        del stories[at]

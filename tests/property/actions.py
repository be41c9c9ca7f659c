"""What a well-behaved agent does to a task list, one function an action.

Each returns a new document and leaves the given one alone.
"""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]


def story_of(document: Json, name: str) -> Json:
    return next(story for story in document["userStories"] if story["id"] == name)


def submit(document: Json, name: str) -> Json:
    return _changed(document, name, reviewStatus="needs_review", notes="did it")


def approve(document: Json, name: str, feedback: str = "") -> Json:
    return _judged(
        document, name, passes=True, reviewStatus="approved", reviewFeedback=feedback, notes="ok"
    )


def reject(document: Json, name: str, feedback: str = "repair it") -> Json:
    return _judged(
        document, name, passes=False, reviewStatus="changes_requested", reviewFeedback=feedback
    )


def resubmit(document: Json, name: str) -> Json:
    return _changed(document, name, reviewStatus="needs_review", reviewFeedback="")


def pass_directly(document: Json, name: str) -> Json:
    return _changed(document, name, passes=True, notes="did it")


def split(document: Json, name: str, parts: list[str]) -> Json:
    """The entries are dealt out in turn; who waited for the whole waits for every part."""
    whole = story_of(document, name)
    result = copy.deepcopy(document)
    result["userStories"] = [s for s in result["userStories"] if s["id"] != name]
    for story in result["userStories"]:
        if name in story.get("dependsOn", []):
            kept = [other for other in story["dependsOn"] if other != name]
            story["dependsOn"] = kept + parts
    result["userStories"] += [
        _part(whole, part, index, len(parts)) for index, part in enumerate(parts)
    ]
    return result


def add(document: Json, story: Json) -> Json:
    result = copy.deepcopy(document)
    result["userStories"].append(copy.deepcopy(story))
    return result


def canonical(document: Json, mode: str, name: str, skip_review: bool = False) -> Json:
    """The shortest way on."""
    if skip_review:
        return pass_directly(document, name)
    return {"implement": submit, "review": approve, "review-fix": resubmit}[mode](document, name)


def _part(whole: Json, name: str, index: int, count: int) -> Json:
    return {
        "id": name,
        "title": "part",
        "priority": whole["priority"],
        "splitFrom": whole["id"],
        "dependsOn": list(whole.get("dependsOn", [])),
        "acceptanceCriteria": whole["acceptanceCriteria"][index::count] or ["stands alone"],
        "verify": whole.get("verify", [])[index::count],
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
    }


def _judged(document: Json, name: str, **fields: Any) -> Json:
    count = story_of(document, name)["reviewCount"] + 1
    return _changed(document, name, reviewCount=count, **fields)


def _changed(document: Json, name: str, **fields: Any) -> Json:
    result = copy.deepcopy(document)
    story_of(result, name).update(fields)
    return result

"""Puts back what an iteration was not allowed to change, and leaves the rest."""

from __future__ import annotations

import copy

from . import review, snapshot, tasks, transitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .review import Violation
    from .tasks import Document, Story

_BACK = (*snapshot.REVIEW_FIELDS, "acceptanceCriteria", "verify")
_TOP_LEVEL = {"verify-commands": "verifyCommands", "branch-name": "branchName"}
_TO_DO = {"passes": False, "reviewStatus": review.TO_DO, "reviewCount": 0, "reviewFeedback": ""}


def undone(
    kept: Document, current: Document | None, violations: list[Violation], marker: dict[str, Any]
) -> Document:
    """`kept` is the list as last judged; None is a list that cannot be read."""
    if current is None:
        return kept
    repaired = _repaired(kept, current, violations)
    return kept if repaired is None or _broken(repaired, marker) else repaired


def _broken(document: Document, marker: dict[str, Any]) -> bool:
    """What was put back may not fit to what was left."""
    if tasks.faults(document) or review.invariants(document, marker):
        return True
    if not transitions.judgeable(marker):
        return False
    left = transitions.violations(document, marker)
    return any(violation.rule not in transitions.NOT_UNDONE for violation in left)


def _repaired(kept: Document, current: Document, violations: list[Violation]) -> Document | None:
    """None where a story must return that an earlier attempt had legally split."""
    repaired = copy.deepcopy(current)
    old = {story["id"]: story for story in kept["userStories"]}
    new = {story["id"]: story for story in repaired["userStories"]}
    for violation in violations:
        if violation.rule in transitions.NOT_UNDONE:
            continue
        if violation.rule in _TOP_LEVEL:
            repaired[_TOP_LEVEL[violation.rule]] = kept[_TOP_LEVEL[violation.rule]]
        elif violation.story not in new:
            if violation.story not in old:
                return None
            repaired["userStories"].append(old[violation.story])
        elif violation.story in old:
            _put_back(new[violation.story], old[violation.story])
        else:
            new[violation.story].update(_TO_DO)
    return repaired


def _put_back(story: Story, old: Story) -> None:
    for field in _BACK:
        if field in old:
            story[field] = old[field]
        else:
            story.pop(field, None)

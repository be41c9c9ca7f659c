"""The judgement of one iteration as the runner passes it: marker, checks, undo."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ralph_engine.core import review, snapshot, tasks, transitions, undo

Json = dict[str, Any]


class Terms(NamedTuple):
    """What the runner decided before an iteration."""

    mode: str
    picked: str | None
    cap: int | None = 3
    at_cap: str = "approve"
    skip_review: bool = False
    plan_edits: bool = False


def terms_for(document: Json, **options: Any) -> Terms:
    """Mode and story by the product's own rule."""
    skip_review = options.get("skip_review", False)
    mode = review.mode_of(document, skip_review)
    story = review.pick(document, mode, skip_review)
    return Terms(mode, story["id"] if story else None, **options)


def marker_for(document: Json, terms: Terms) -> Json:
    marker = {
        "iterationMode": terms.mode,
        "preIterationSnapshot": snapshot.of_stories(document, frozen=not terms.plan_edits),
        "story": terms.picked,
        "reviewCap": terms.cap,
        "atCap": terms.at_cap,
        "skipReview": terms.skip_review,
    }
    if not terms.plan_edits:
        marker["verifyCommands"] = snapshot.digests(document.get("verifyCommands", []))
    # Through JSON, as hooks get it.
    return json.loads(json.dumps({k: v for k, v in marker.items() if v is not None}))


def complaints(document: Json, marker: Json) -> list[Any]:
    """Checks 1, 2 and 2.5 in this order; the first that fails speaks."""
    return (
        tasks.faults(document)
        or review.invariants(document, marker)
        or transitions.violations(document, marker)
    )


def judged(kept: Json, current: Json | None, marker: Json) -> Json:
    """The list that stands after an agent process left `current` (None: unreadable)."""
    if current is None or tasks.faults(current):
        return undo.undone(kept, None, [], marker)
    found = review.invariants(current, marker) + transitions.violations(current, marker)
    return undo.undone(kept, current, found, marker)


def own_cap(story: Json, cap: int, counts_at_start: Json) -> int:
    """No story is at its cap before it had one more review than at the last start."""
    return max(cap, counts_at_start.get(story["id"], 0) + 1)


def counts_of(document: Json) -> Json:
    return {story["id"]: story["reviewCount"] for story in document["userStories"]}


def all_pass(document: Json) -> bool:
    return all(story["passes"] for story in document["userStories"])


def is_done(story: Json) -> bool:
    return story["passes"] and story["reviewStatus"] == review.APPROVED

"""The review cycle: which mode comes next, on which story, and what always holds."""

from __future__ import annotations

from collections import namedtuple

from .shape import name_shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from .tasks import Document, Story

    class Violation(NamedTuple):
        rule: str
        story: str
        message: str
else:
    Violation = namedtuple("Violation", "rule story message")

IMPLEMENT, REVIEW, REVIEW_FIX = "implement", "review", "review-fix"
MODES = (IMPLEMENT, REVIEW, REVIEW_FIX)
TO_DO, WAITING, REJECTED, APPROVED = None, "needs_review", "changes_requested", "approved"
REVIEW_STATES = {REVIEW: WAITING, REVIEW_FIX: REJECTED}
CAP_MARK = "[AUTO-APPROVED AT CAP]"
PASSES_UNAPPROVED = "passes-unapproved"

_ONLY_REVIEWS = "Only review iterations approve"


def mode_of(document: Document, skip_review: bool) -> str:
    statuses = {story["reviewStatus"] for story in document["userStories"]}
    if skip_review or not statuses & {REJECTED, WAITING}:
        return IMPLEMENT
    return REVIEW_FIX if REJECTED in statuses else REVIEW


def pick(document: Document, mode: str, skip_review: bool) -> Story | None:
    """The most urgent story of the mode; the order of the file breaks ties."""
    stories = document["userStories"]
    passing = {story["id"] for story in stories if story["passes"]}
    if mode == IMPLEMENT:
        fitting = [s for s in stories if _to_do(s, skip_review) and ready(s, passing)]
    else:
        wanted = REVIEW_STATES[mode]
        fitting = [s for s in stories if s["reviewStatus"] == wanted]
    return min(fitting, key=lambda story: story["priority"], default=None)


def ready(story: Story, passing: set[str]) -> bool:
    return all(other in passing for other in story.get("dependsOn", ()))


def invariants(document: Document, marker: dict[str, Any]) -> list[Violation]:
    """Check 2: true of every list, whatever the iteration did; off without reviews."""
    if marker.get("skipReview"):
        return []
    found: list[Violation] = []
    for story in document["userStories"]:
        found += _out_of_step(story)
        found += _rejected_without_words(story)
        found += _counted_too_far(story, marker)
    return found


def _to_do(story: Story, skip_review: bool) -> bool:
    return not story["passes"] and (skip_review or story["reviewStatus"] is TO_DO)


def _out_of_step(story: Story) -> list[Violation]:
    name, status = story["id"], story["reviewStatus"]
    if story["passes"] == (status == APPROVED):
        return []
    if story["passes"]:
        text = f"has passes true but reviewStatus {shown(status)}, not approved. {_ONLY_REVIEWS}"
        return [
            Violation(
                PASSES_UNAPPROVED, name, f"Story {name_shown(name)} {text}: set passes to false."
            )
        ]
    text = f'has reviewStatus "approved" but passes false. {_ONLY_REVIEWS}'
    return [
        Violation("approved-failing", name, f"Story {name_shown(name)} {text}, and they set both.")
    ]


def _rejected_without_words(story: Story) -> list[Violation]:
    if story["reviewStatus"] != REJECTED or story["reviewFeedback"].strip():
        return []
    name = story["id"]
    text = 'has reviewStatus "changes_requested" but an empty reviewFeedback'
    return [
        Violation(
            "no-feedback", name, f"Story {name_shown(name)} {text}: write what must be fixed."
        )
    ]


def _counted_too_far(story: Story, marker: dict[str, Any]) -> list[Violation]:
    cap = marker.get("reviewCap")
    if cap is None:
        return []
    name, count = story["id"], story["reviewCount"]
    before = (marker.get("preIterationSnapshot") or {}).get(name, {}).get("reviewCount", 0)
    most = max(cap, before) + 1
    if count <= most:
        return []
    text = f"has reviewCount {count}; it may have at most {most}. Only review iterations raise it"
    return [Violation("count-too-high", name, f"Story {name_shown(name)} {text}, by one.")]

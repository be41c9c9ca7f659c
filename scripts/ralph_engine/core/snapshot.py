"""What an iteration may not silently change, reduced to what the rules compare."""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .tasks import Document, Story

REVIEW_FIELDS = ("passes", "reviewStatus", "reviewCount", "reviewFeedback")


def of_stories(document: Document, frozen: bool = True) -> dict[str, dict[str, Any]]:
    """`frozen=False` is --allow-plan-edits: what a snapshot lacks is not checked."""
    return {story["id"]: _of_story(story, frozen) for story in document["userStories"]}


def digests(entries: Iterable[str]) -> list[str]:
    # surrogatepass: a JSON string may hold half a surrogate pair.
    return [sha256(entry.encode("utf-8", "surrogatepass")).hexdigest() for entry in entries]


def _of_story(story: Story, frozen: bool) -> dict[str, Any]:
    entry = {name: story[name] for name in REVIEW_FIELDS}
    if story.get("dependsOn"):
        entry["dependsOn"] = story["dependsOn"]
    if frozen:
        criteria, verify = story["acceptanceCriteria"], story.get("verify", [])
        entry["frozen"] = {
            "criteria": digests(criteria),
            "verify": digests(verify),
            "whole": whole_digest(story),
        }
    return entry


def whole_digest(story: Story) -> str:
    """All frozen entries in one: equal means unchanged, in a quarter of the time."""
    # repr, not a join: no entry can pretend to be two.
    text = repr((story["acceptanceCriteria"], story.get("verify", [])))
    return sha256(text.encode("utf-8")).hexdigest()


def same_review(story: Story, old: dict[str, Any]) -> bool:
    """Written out: ten thousand stories are compared at every stop."""
    same: bool = (
        story["passes"] == old["passes"]
        and story["reviewStatus"] == old["reviewStatus"]
        and story["reviewCount"] == old["reviewCount"]
        and story["reviewFeedback"] == old.get("reviewFeedback", story["reviewFeedback"])
    )
    return same

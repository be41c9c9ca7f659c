"""Which approvals the ledger stands behind, and which commits they rest on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .core import review, snapshot
from .core.tasks import Document, Story
from .ledger import Ledger

Entry = dict[str, Any]
APPROVED, REJECTED, TRUSTED, REOPENED = "approved", "changes_requested", "trusted", "reopened"
# Runs of a story's own checks, and where work on it began: they say nothing of its approval.
BEFORE, AFTER, BEGAN = "verify-before", "verify-after", "work-began"


def entry_for(story: Story, branch: str) -> Entry:
    """What an entry must say so that it speaks for this story and no other."""
    return {"branch": branch, "story": story["id"], "frozen": snapshot.whole_digest(story)}


def standing(
    entries: list[Entry], document: Document, reachable: Callable[[str], bool]
) -> dict[str, Entry]:
    """The entry behind each done story; a done story without one is missing."""
    last: dict[str, Entry] = {}
    for entry in entries:
        ours = entry.get("branch") == document["branchName"]
        if ours and entry["event"] not in (BEFORE, AFTER, BEGAN):
            last[entry["story"]] = entry
    found = {}
    for story in document["userStories"]:
        entry = last.get(story["id"], {})
        if story["passes"] and _speaks_for(entry, story) and reachable(entry["reviewed"]):
            found[story["id"]] = entry
    return found


def unseen(document: Document, behind: dict[str, Entry]) -> list[str]:
    """Approved stories that no entry stands behind."""
    stories = document["userStories"]
    return [s["id"] for s in stories if _approved(s) and s["id"] not in behind]


def sent_back(document: Document, names: list[str]) -> Document:
    """These approvals become needs_review; count and notes stay."""
    stories = [
        {**s, "passes": False, "reviewStatus": review.WAITING} if s["id"] in names else s
        for s in document["userStories"]
    ]
    return {**document, "userStories": stories}


def reopened(document: Document, name: str, feedback: str, skip_review: bool) -> Document:
    change: dict[str, Any] = {"passes": False}
    if not skip_review:
        change.update(reviewStatus=review.REJECTED, reviewFeedback=feedback)
    stories = [{**s, **change} if s["id"] == name else s for s in document["userStories"]]
    return {**document, "userStories": stories}


def last_approved(entries: list[Entry], document: Document) -> str:
    """The story to reopen: approved last in the ledger, else the last that passes."""
    passing = [s["id"] for s in document["userStories"] if s["passes"]]
    for entry in reversed(entries):
        ours = entry.get("branch") == document["branchName"] and entry["story"] in passing
        if ours and entry["event"] in (APPROVED, TRUSTED):
            return str(entry["story"])
    return str(passing[-1])


def work_began(entries: list[Entry], wanted: dict[str, Story], branch: str) -> set[str]:
    """The commits before the first work on these names, each with the story that it stands for."""
    began: dict[str, str] = {}
    for entry in entries:
        story = wanted.get(entry.get("story", "")) if entry.get("branch") == branch else None
        if story is None or entry["event"] in (AFTER, REOPENED):
            continue
        if entry["event"] in (APPROVED, TRUSTED) and not _speaks_for(entry, story):
            began.pop(entry["story"], "")  # an earlier story had this name
        else:
            began.setdefault(entry["story"], str(entry.get("reviewed") or entry["head"]))
    return set(began.values())


def accepted_at_cap(document: Document) -> list[str]:
    return [story["id"] for story in document["userStories"] if is_at_cap(story)]


def is_at_cap(story: Story) -> bool:
    return bool(story["passes"] and review.CAP_MARK in story["reviewFeedback"])


def trust(ledger: Ledger, story: Story, branch: str, head: str, run_id: str) -> None:
    """A person's word stands in for a review."""
    ledger.append(TRUSTED, **entry_for(story, branch), reviewed=head, run=run_id)


def same_frozen(old: Story, new: Story) -> bool:
    return snapshot.whole_digest(old) == snapshot.whole_digest(new)


def is_recorded(entries: list[Entry], event: str, story: str, run_id: str, iteration: int) -> bool:
    """Already written down: a run that was killed right after it does the step once more."""
    wanted = (event, story, run_id, iteration)
    names = ("event", "story", "run", "iteration")
    return any(tuple(entry.get(name) for name in names) == wanted for entry in entries)


def _speaks_for(entry: Entry, story: Story) -> bool:
    known = entry.get("event") in (APPROVED, TRUSTED)
    return known and entry.get("frozen") == snapshot.whole_digest(story)


def _approved(story: Story) -> bool:
    return bool(story["passes"] and story["reviewStatus"] == review.APPROVED)

"""What the ledger knows of a story's own checks: pure. Did they fail before its work?

A check that passes without the work proves nothing about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import approvals
from .checks import Result
from .core import review, shape, snapshot
from .core.tasks import Story

Entry = dict[str, Any]

_ADVICE = "Add an entry to its `verify` that fails without the work, and leave the others."
_WARNING = "Rest no verdict on it: see with your own eyes that each criterion is met."
BINDS = (
    "This run is red first: work on {story} and no other story, or on a part that you split off it"
    " and that keeps a check of it that the runner saw fail; another one that you hand in does not"
    " count."
)


def entry_for(story: Story, branch: str, results: Iterable[Result]) -> Entry:
    """`entries` of its verify alone: with more of them, or other criteria, it is still the same."""
    ran = [(result.check.command, result.code) for result in results]
    return {
        **approvals.entry_for(story, branch),
        "entries": _verify(story),
        "passed": all(code == 0 for _, code in ran),
        "checks": ran,
    }


def before_work(entries: Iterable[Entry], story: Story, branch: str) -> Entry | None:
    """The newest run of its checks before its work; None where there was none."""
    now = {*_verify(story)}
    found = None
    for entry in entries:
        ours = (entry["event"], entry.get("branch"), entry.get("story"))
        if ours == (approvals.BEFORE, branch, story["id"]) and now.issuperset(entry["entries"]):
            found = entry
    return found


def proves_nothing(known: Entry | None) -> bool:
    return bool(known and known["passed"])


def failed_before(known: Entry, story: Story) -> bool:
    """Is one of its checks among those that were seen to fail?"""
    failed = {command for command, code in known["checks"] if code != 0}
    return not failed.isdisjoint(story.get("verify", []))


def told(entry: Entry) -> Entry:
    """What the journal says of it."""
    names = ("story", "passed", "checks", "head")
    return {"number": entry["iteration"], **{name: entry[name] for name in names}}


def remark(story: Story, known: Entry | None, mode: str) -> list[str]:
    if known is None or not proves_nothing(known):
        return []
    advice = _WARNING if mode == review.REVIEW else _ADVICE
    name = shape.name_shown(story["id"])
    seen = f"The runner saw the `verify` of {name} pass before any work on it"
    return [f"{seen}, at {known['head'][:12]}: it proves nothing. {advice}"]


def _verify(story: Story) -> list[str]:
    return snapshot.digests(story.get("verify", []))

"""What an iteration achieved, read off the list before it and the list as judged."""

from __future__ import annotations

from typing import NamedTuple

from .core import review
from .core.tasks import Document, Story


class Outcome(NamedTuple):
    submitted: str = ""
    verdict: str = ""
    passed: str = ""
    split: bool = False

    @property
    def counts(self) -> bool:
        """The one legal change that an iteration is for."""
        return bool(self.submitted or self.verdict or self.passed)


def of(before: Document, after: Document, picked: str) -> Outcome:
    old = {story["id"]: story for story in before["userStories"]}
    new = {story["id"]: story for story in after["userStories"]}
    return Outcome(
        submitted=next((n for n, s in new.items() if _submitted(old.get(n), s)), ""),
        verdict=_verdict(old.get(picked), new.get(picked)),
        passed=next((n for n, s in new.items() if _passed(old.get(n), s)), ""),
        split=any(name not in new for name in old),
    )


def _submitted(old: Story | None, new: Story) -> bool:
    before = old["reviewStatus"] if old else review.TO_DO
    return bool(new["reviewStatus"] == review.WAITING and before != review.WAITING)


def _verdict(old: Story | None, new: Story | None) -> str:
    if old is None or new is None or new["reviewCount"] == old["reviewCount"]:
        return ""
    return str(new["reviewStatus"])


def _passed(old: Story | None, new: Story) -> bool:
    return bool(new["passes"] and not (old and old["passes"]))

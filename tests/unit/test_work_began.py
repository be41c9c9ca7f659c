"""Where the work on a story began, by the ledger: the review of a later run looks back so far."""

from __future__ import annotations

from typing import Any

import pytest
from ralph_engine import approvals

BRANCH = "ralph/shop"
STORY: dict[str, Any] = {"id": "US-1", "acceptanceCriteria": ["it works"]}
OTHER = {**STORY, "acceptanceCriteria": ["last year's"]}


def entry(event: str, commit: str, story: dict[str, Any] = STORY, **changes: Any) -> Any:
    place = "head" if event in (approvals.BEFORE, approvals.AFTER, approvals.BEGAN) else "reviewed"
    known = {"event": event, place: commit} if commit else {"event": event}
    return {**approvals.entry_for(story, BRANCH), **known, **changes}


@pytest.mark.parametrize(
    ("entries", "began"),
    [
        ([], set()),
        ([entry("submitted", "b")], {"b"}),
        ([entry("verify-before", "a"), entry("submitted", "b")], {"a"}),
        ([entry("work-began", "a"), entry("submitted", "b")], {"a"}),
        ([entry("submitted", "a"), entry("changes_requested", "b")], {"a"}),
        ([entry("submitted", "a", branch="main")], set()),
        ([entry("submitted", "a", story={**STORY, "id": "US-2"})], set()),
        # An approval that no longer stands, as the story was sent back: it is seen whole.
        ([entry("submitted", "a"), entry("approved", "b"), entry("reopened", "")], {"a"}),
        # Another story had the name before.
        ([entry("submitted", "a", OTHER), entry("approved", "b", OTHER)], set()),
        (
            [
                entry("submitted", "a", OTHER),
                entry("approved", "b", OTHER),
                entry("verify-after", "c", OTHER),
                entry("reopened", "", OTHER),
                entry("trusted", "d", OTHER),
                entry("submitted", "e"),
            ],
            {"e"},
        ),
        # Criteria that were only added do not make it another one.
        ([entry("submitted", "a", OTHER), entry("submitted", "b")], {"a"}),
    ],
)
def test_the_first_commit_of_what_is_not_approved(entries: list[Any], began: set[str]) -> None:
    assert approvals.work_began(entries, {"US-1": STORY}, BRANCH) == began

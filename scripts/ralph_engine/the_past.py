"""Approvals that this ledger knows nothing of: trusted by a person, or reviewed again."""

from __future__ import annotations

from . import approvals, ask
from .core import review
from .run_state import Run


def settle(run: Run) -> None:
    """At every start and resume."""
    if run.settings.skip_review:
        return
    _send_back_skipped(run)
    _judge_unseen(run)
    least = run.settings.review_cap
    for story in run.document["userStories"]:
        name = story["id"]
        run.caps[name] = max(least, story["reviewCount"] + 1, run.caps.get(name, 0))


def _send_back_skipped(run: Run) -> None:
    skipped = [
        story["id"]
        for story in run.document["userStories"]
        if story["passes"] and story["reviewStatus"] != review.APPROVED
    ]
    if skipped:
        run.rewrite(approvals.sent_back(run.document, skipped), f"review skipped: {skipped}")


def _judge_unseen(run: Run) -> None:
    unseen = approvals.unseen(run.document, run.behind())
    question = f"{', '.join(unseen)}: approved, but not seen here. Trust them?"
    if unseen and (run.options.trust_approved or ask.yes(question)):
        for story in filter(None, map(run.story, unseen)):
            approvals.trust(run.ledger, story, run.branch, run.start_head, run.run_id)
            run.journal.write("trusted", story=story["id"])
    elif unseen:
        run.rewrite(approvals.sent_back(run.document, unseen), f"never seen approved: {unseen}")

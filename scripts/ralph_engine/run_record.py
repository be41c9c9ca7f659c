"""What the journal keeps of the list: the whole at each start, after an iteration what changed."""

from __future__ import annotations

from typing import Any

from . import approvals, git
from .core.tasks import Story
from .run_state import Run

_LONGEST = 200


def beginning(run: Run) -> dict[str, Any]:
    """Of a run, or of one that goes on: nothing is recorded yet."""
    project, branch = (run.document.get(key, "") for key in ("project", "branchName"))
    return {"project": project[:_LONGEST], "branch": branch, **_changes(run)}


def iteration_ended(run: Run) -> None:
    head = git.head(run.root)
    run.journal.write("iteration-ended", number=run.iteration, head=head, **_changes(run))


def _changes(run: Run) -> dict[str, Any]:
    now = {s["id"]: _brief(s, run.cap(s["id"])) for s in run.document.get("userStories", [])}
    whole = list(now) != list(run.recorded)
    stories = [story for name, story in now.items() if whole or run.recorded[name] != story]
    run.recorded = now
    return {"stories": stories, "whole": whole}


def _brief(story: Story, cap: int) -> dict[str, Any]:
    return {
        "id": story["id"],
        "title": story["title"][:_LONGEST],
        "passes": story["passes"],
        "status": story["reviewStatus"],
        "reviews": story["reviewCount"],
        "cap": cap,
        "atCap": approvals.is_at_cap(story),
    }

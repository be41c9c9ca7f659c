"""What the journal keeps of the list: the whole at each start, after an iteration what changed."""

from __future__ import annotations

from typing import Any

from . import approvals, git
from .core.tasks import Story
from .run_state import Run

_LONGEST_TITLE = 200
_NAMES = (("project", "project"), ("branch", "branchName"))


def beginning(run: Run) -> dict[str, Any]:
    """Of a run, or of one that goes on."""
    run.recorded = {}
    names = {name: run.document.get(key, "") for name, key in _NAMES}
    return {**names, "agent": run.settings.agent.command, **_changes(run)}


def iteration_ended(run: Run) -> None:
    head = git.head(run.root)
    run.journal.write("iteration-ended", number=run.iteration, head=head, **_changes(run))


def _changes(run: Run) -> dict[str, Any]:
    now = {s["id"]: _brief(s, run.cap(s["id"])) for s in run.document.get("userStories", [])}
    changed = [brief for name, brief in now.items() if run.recorded.get(name) != brief]
    gone = [name for name in run.recorded if name not in now]
    run.recorded = now
    return {"stories": changed, "gone": gone}


def _brief(story: Story, cap: int) -> dict[str, Any]:
    return {
        "id": story["id"],
        "title": story["title"][:_LONGEST_TITLE],
        "passes": story["passes"],
        "status": story["reviewStatus"],
        "reviews": story["reviewCount"],
        "cap": cap,
        "atCap": approvals.is_at_cap(story),
    }

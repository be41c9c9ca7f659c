"""The commits that a review looks at."""

from __future__ import annotations

from . import approvals, git, prompt
from .core.tasks import Story
from .run_state import Run


def base(run: Run) -> str:
    """Where the range begins: the newest reviewed commit whose approval still stands.

    Earlier where an earlier run began on what is not approved: nobody has looked at that.
    """
    behind = run.behind()
    known = [entry for entry in run.ledger.entries if entry in behind.values()]
    start = str(known[-1]["reviewed"]) if known else run.start_head
    for began in approvals.work_began(run.ledger.entries, _waiting(run, behind), run.branch):
        start = began if git.is_ancestor(run.root, began, start) else start
    return start


def _waiting(run: Run, behind: dict[str, approvals.Entry]) -> dict[str, Story]:
    """By name, also of what it was split off, unless a part of that was looked at since."""
    stories = run.document["userStories"]
    waiting = [story for story in stories if story["id"] not in behind]
    seen = {story.get("splitFrom", "") for story in stories if story["id"] in behind} | {""}
    wholes = {s["splitFrom"]: s for s in waiting if s.get("splitFrom", "") not in seen}
    return {**wholes, **{story["id"]: story for story in waiting}}


def remember(run: Run, story: Story, head: str) -> None:
    """Before the first work on a story, for a review in a later run."""
    if approvals.work_began(run.ledger.entries, {story["id"]: story}, run.branch):
        return
    known = approvals.entry_for(story, run.branch)
    where = {"run": run.run_id, "iteration": run.iteration + 1, "head": head}
    run.ledger.append(approvals.BEGAN, **known, **where)


def words(run: Run, story: str, head: str) -> str:
    known = any(
        e["story"] == story and e["branch"] == run.branch and e["event"] == "submitted"
        for e in run.ledger.entries
    )
    start = base(run)
    if not known or start == head:
        return prompt.NO_RANGE
    return f"{start[:12]}..{head[:12]}"

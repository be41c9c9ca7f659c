"""The commits that a review looks at."""

from __future__ import annotations

from . import prompt
from .run_state import Run


def base(run: Run) -> str:
    """Where the range begins: the newest reviewed commit whose approval still stands."""
    behind = run.behind()
    for entry in reversed(run.ledger.entries):
        if entry in behind.values():
            return str(entry["reviewed"])
    return run.start_head


def words(run: Run, story: str, head: str) -> str:
    known = any(
        e["story"] == story and e["branch"] == run.branch and e["event"] == "submitted"
        for e in run.ledger.entries
    )
    start = base(run)
    if not known or start == head:
        return prompt.NO_RANGE
    return f"{start[:12]}..{head[:12]}"

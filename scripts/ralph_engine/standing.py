"""How far a run has come: the figures that its journal has for whoever watches."""

from __future__ import annotations

from typing import Any

from . import roles
from .run_state import Run

_LONGEST_TITLE = 200


def of(run: Run) -> dict[str, Any]:
    """What is not known is left out."""
    known: dict[str, Any] = {"of": run.max_iterations, "budget": run.settings.max_cost_usd}
    if run.document:
        known.update(done=run.done(), total=len(run.document["userStories"]))
    if roles.cost_is_told(run.settings):
        known.update(cost=run.cost, estimated=run.cost_estimated)
    return known


def title(run: Run, name: str) -> str:
    story = run.story(name) if name else None
    return story["title"][:_LONGEST_TITLE] if story else ""

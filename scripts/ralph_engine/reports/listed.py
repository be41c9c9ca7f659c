"""The task list as the journal recorded it, after each event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .events import Event

_RECORDS = ("run", "resumed", "iteration-ended")


class Listed(NamedTuple):
    name: str
    title: str
    passes: bool
    status: str
    reviews: int
    cap: int
    at_cap: bool


def after_each(told: Sequence[Event]) -> list[dict[str, Listed]]:
    now: dict[str, Listed] = {}
    found = []
    for event in told:
        if event.kind in _RECORDS and "stories" in event.details:
            now = {**({} if event.flag("whole") else now), **_recorded(event)}
        found.append(now)
    return found


def left(stories: dict[str, Listed]) -> int | None:
    return sum(not story.passes for story in stories.values()) if stories else None


def _recorded(event: Event) -> dict[str, Listed]:
    return {story.name: story for story in map(_listed, event.items("stories")) if story.name}


def _listed(found: Any) -> Listed:
    story = Event("", "", 0.0, False, found if isinstance(found, dict) else {})
    return Listed(
        name=story.text("id"),
        title=story.text("title"),
        passes=story.flag("passes"),
        status=story.text("status"),
        reviews=story.count("reviews"),
        cap=story.count("cap"),
        at_cap=story.flag("atCap"),
    )

"""A list of things to do, as the agent gave it to its tool."""

from __future__ import annotations

from typing import Any

from . import loose
from .events import COMPLETED, IN_PROGRESS, PENDING, TodoItem

MOST_ITEMS = 500
LONGEST_TEXT = 500

_STATES = {
    "completed": COMPLETED,
    "in-progress": IN_PROGRESS,
    "in_progress": IN_PROGRESS,
}

_DROPPED = "cancelled"


def items(entries: Any, text: str) -> tuple[TodoItem, ...]:
    """`text` names what an entry says; a state that we do not know is one not begun."""
    return tuple(
        TodoItem(
            loose.text(entry.get(text))[:LONGEST_TEXT],
            _STATES.get(loose.text(entry.get("status")), PENDING),
        )
        for entry in loose.objects(entries)[:MOST_ITEMS]
        if entry.get("status") != _DROPPED
    )

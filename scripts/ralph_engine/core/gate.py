"""The gate of an iteration on the task list: the first group of rules that fails, in words."""

from __future__ import annotations

from . import review, shape, tasks, transitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .shape import Fault
    from .tasks import Document

_WIDTH = 400


def schema(found: list[Fault], path: str) -> list[str]:
    from .counted import counted

    lines = [shape.sentence(fault) for fault in found]
    return _listed(f"{path} has {counted(len(found), 'fault')}. Repair it:", lines)


def invariants(document: Document, marker: dict[str, Any]) -> list[str]:
    lines = [violation.message for violation in review.invariants(document, marker)]
    return _listed("The review fields of the task list do not fit together:", lines)


def iteration(document: Document, marker: dict[str, Any], touched: list[str]) -> list[str]:
    """Check 2.5; `touched` are the frozen files that are no longer as they were."""
    lines = [f"{path} is read-only during a run: put it back as it was." for path in touched]
    if transitions.judgeable(marker):
        lines += [found.message for found in transitions.violations(document, marker)]
    mode = marker.get("iterationMode", "loop")
    return _listed(f"This {mode} iteration changed what it may not. Take it back:", lines)


def _listed(title: str, lines: list[str]) -> list[str]:
    """Empty where there is nothing to say."""
    if not lines:
        return []
    shown = [f"- {line[:_WIDTH]}" for line in dict.fromkeys(lines[: tasks.SHOWN_FAULTS])]
    more = len(lines) - tasks.SHOWN_FAULTS
    return [title, *shown, *([f"... and {more} more"] if more > 0 else [])]

"""Work that a turn leaves running: Claude Code waits for it and comes back with another Stop."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def running(sent: dict[str, Any]) -> bool:
    tasks = sent.get("background_tasks")
    if not isinstance(tasks, list):
        return False
    return any(isinstance(task, dict) and task.get("status") == "running" for task in tasks)

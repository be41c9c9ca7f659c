"""The todo list of a Claude session, rebuilt from what its tools answered."""

from __future__ import annotations

from typing import Any

from . import loose
from .events import PENDING, TodoItem

TOOLS = frozenset({"TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TodoWrite"})
MOST_ITEMS = 500
LONGEST_TEXT = 500


class TodoList:
    def __init__(self) -> None:
        self._items: dict[str, TodoItem] = {}

    @property
    def items(self) -> tuple[TodoItem, ...]:
        return tuple(self._items.values())

    def take(self, tool: str, subject: str, answer: Any) -> bool:
        """A tool's `tool_use_result`; True where the list is another one now."""
        before = self.items
        told = loose.fields(answer)
        if tool == "TaskUpdate":
            self._update(told, subject)
        elif tool in ("TodoWrite", "TaskList"):
            self._replace(told.get("newTodos" if tool == "TodoWrite" else "tasks"))
        else:
            self._put(loose.fields(told.get("task")))
        return self.items != before

    def _put(self, task: dict[str, Any]) -> None:
        name = loose.text(task.get("id"))
        if name and (name in self._items or len(self._items) < MOST_ITEMS):
            self._items[name] = _item(task)

    def _replace(self, entries: Any) -> None:
        if type(entries) is list:
            kept = enumerate(loose.objects(entries)[:MOST_ITEMS])
            self._items = {loose.text(e.get("id")) or f"{place}": _item(e) for place, e in kept}

    def _update(self, answer: dict[str, Any], subject: str) -> None:
        """The answer has the new status, but of a new subject only that there is one."""
        name = loose.text(answer.get("taskId"))
        item = self._items.get(name)
        if item is None or answer.get("success") is not True:
            return
        status = loose.text(loose.fields(answer.get("statusChange")).get("to")) or item.status
        self._items[name] = TodoItem(subject[:LONGEST_TEXT] or item.text, status)
        if status == "deleted":
            del self._items[name]


def _item(entry: dict[str, Any]) -> TodoItem:
    words = loose.text(entry.get("subject")) or loose.text(entry.get("content"))
    return TodoItem(words[:LONGEST_TEXT], loose.text(entry.get("status"))[:20] or PENDING)

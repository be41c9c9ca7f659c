"""Reads the lines of Claude's `--output-format stream-json`."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import blocks, claude_result, loose
from .claude_todo import TOOLS, TodoList
from .events import Event, Progress, Retry, Text, Todo, ToolEnd, ToolStart
from .excerpts import tool_end, unknown
from .json_lines import JsonLines

MOST_OPEN_TODO_CALLS = 1_000

# Known, and of no use to a person or to the loop.
_SILENT_SYSTEM = frozenset(
    [
        "background_tasks_changed",
        "compact_boundary",
        "hook_progress",
        "hook_response",
        "hook_started",
        "notification",
        "status",
        "task_notification",
        "task_progress",
        "task_started",
        "task_updated",
        "thinking_tokens",
    ]
)
_SILENT_BLOCKS = frozenset({"thinking", "redacted_thinking"})

# The first of these that a tool's input has tells a person most.
_TELLING = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "path",
    "subject",
    "description",
    "skill",
    "prompt",
    "taskId",
]


class Fault(NamedTuple):
    """The cause of an error, in the client's own words."""

    subtype: str = ""
    status: int | None = None
    kind: str = ""
    connection: bool = False


class Parser(JsonLines):
    """Keeps the last final event and what explains it; nothing that grows with the stream."""

    def __init__(self) -> None:
        super().__init__(
            {
                "assistant": self._assistant,
                "user": self._user,
                "system": self._system,
                "result": self._result,
                "rate_limit_event": self._rate_limit,
                "stream_event": self._nothing,
            }
        )
        self.fault = Fault()
        self.reset: float | None = None
        self._model = ""
        self._kind = ""
        self._todo = TodoList()
        self._todo_calls: dict[str, tuple[str, str]] = {}

    def _not_an_event(self, line: bytes) -> list[Event]:
        """With --output-format json and --verbose all events come as one list."""
        listed = loose.parse_array(line)
        if listed:
            return [found for event in listed for found in self._read(event, line)]
        return super()._not_an_event(line)

    def _nothing(self, event: dict[str, Any], line: bytes) -> list[Event]:
        return []

    def _system(self, event: dict[str, Any], line: bytes) -> list[Event]:
        subtype = loose.text(event.get("subtype"))
        if subtype == "init":
            self._model = loose.text(event.get("model"))
            return [Progress(loose.text(event.get("session_id")), self._model)]
        if subtype == "api_retry":
            retry = _retry(event)
            self._kind = retry.error
            return [retry]
        return [] if subtype in _SILENT_SYSTEM else [unknown(line)]

    def _rate_limit(self, event: dict[str, Any], line: bytes) -> list[Event]:
        told = loose.fields(event.get("rate_limit_info"))
        if told.get("status") == "rejected":
            self.reset = loose.number(told.get("resetsAt"))
        return []

    def _assistant(self, event: dict[str, Any], line: bytes) -> list[Event]:
        parent = blocks.parent(event)
        if parent is None:
            self._kind = loose.text(event.get("error"))
        found: list[Event] = []
        for block in blocks.of(event):
            kind = block.get("type")
            if kind == "text":
                found.append(Text(loose.text(block.get("text")), parent))
            elif kind == "tool_use":
                found.append(self._tool_start(block, parent))
            elif loose.text(kind) not in _SILENT_BLOCKS:
                found.append(unknown(line))
        return found

    def _tool_start(self, block: dict[str, Any], parent: str | None) -> ToolStart:
        name, call = loose.text(block.get("name")), loose.text(block.get("id"))
        given = loose.fields(block.get("input"))
        if name in TOOLS and len(self._todo_calls) < MOST_OPEN_TODO_CALLS:
            self._todo_calls[call] = (name, loose.text(given.get("subject")))
        return ToolStart(name, call, blocks.telling(given, _TELLING), parent)

    def _user(self, event: dict[str, Any], line: bytes) -> list[Event]:
        found: list[Event] = []
        for block in blocks.of(event):
            if block.get("type") == "tool_result":
                end = _tool_end(block, blocks.parent(event))
                found += [end, *self._todo_after(end, event.get("tool_use_result"))]
        return found

    def _todo_after(self, end: ToolEnd, answer: Any) -> list[Event]:
        tool, subject = self._todo_calls.pop(end.id, ("", ""))
        if tool and end.ok and self._todo.take(tool, subject, answer):
            return [Todo(self._todo.items, end.parent)]
        return []

    def _result(self, event: dict[str, Any], line: bytes) -> list[Event]:
        self.result = claude_result.read(event, self._model, self.result)
        self.fault = Fault(
            loose.text(event.get("subtype")),
            loose.count(event.get("api_error_status")),
            self._kind,
            event.get("api_error") == "connection_failed",
        )
        return [self.result]


def _retry(event: dict[str, Any]) -> Retry:
    milliseconds = loose.number(event.get("retry_delay_ms"))
    return Retry(
        loose.count(event.get("attempt")) or 0,
        None if milliseconds is None else milliseconds / 1000,
        loose.count(event.get("error_status")),
        loose.text(event.get("error")),
    )


def _tool_end(block: dict[str, Any], parent: str | None) -> ToolEnd:
    call, ok = loose.text(block.get("tool_use_id")), block.get("is_error") is not True
    return tool_end(call, ok, blocks.output(block.get("content")), parent)

"""Reads the lines of `amp --stream-json`: like Claude's, with the figures in each message."""

from __future__ import annotations

from typing import Any

from . import blocks, loose, todo
from .events import Event, Progress, Result, Text, Todo, ToolStart
from .excerpts import tool_end, unknown
from .json_lines import JsonLines

_TODO_TOOL = "todo_write"
_TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
_SILENT_BLOCKS = frozenset({"thinking", "redacted_thinking"})
# The first of these that a tool's input has tells a person most.
_TELLING = (
    *("cmd", "command", "path", "filePattern", "pattern", "query", "url", "description"),
    *("task", "prompt", "name"),
)


class Parser(JsonLines):
    """Keeps the figures so far and the final event; nothing that grows with the stream."""

    def __init__(self) -> None:
        super().__init__(
            {
                "assistant": self._assistant,
                "user": self._user,
                "system": self._system,
                "result": self._result,
            }
        )
        self._tokens: dict[str, int] = {}

    def _system(self, event: dict[str, Any], line: bytes) -> list[Event]:
        if event.get("subtype") != "init":
            return [unknown(line)]
        return [Progress(loose.text(event.get("session_id")), "")]

    def _assistant(self, event: dict[str, Any], line: bytes) -> list[Event]:
        self._count(loose.fields(loose.fields(event.get("message")).get("usage")))
        parent = blocks.parent(event)
        found: list[Event] = []
        for block in blocks.of(event):
            kind = loose.text(block.get("type"))
            if kind == "text":
                found.append(Text(loose.text(block.get("text")), parent))
            elif kind == "tool_use":
                found += _call(block, parent)
            elif kind not in _SILENT_BLOCKS:
                found.append(unknown(line))
        return found

    def _count(self, usage: dict[str, Any]) -> None:
        tokens = self._tokens
        for name in _TOKENS:
            told = loose.count(usage.get(name))
            if told is not None:
                tokens[name] = tokens.get(name, 0) + told

    def _user(self, event: dict[str, Any], line: bytes) -> list[Event]:
        results = [block for block in blocks.of(event) if block.get("type") == "tool_result"]
        return [_tool_end(block, blocks.parent(event)) for block in results]

    def _result(self, event: dict[str, Any], line: bytes) -> list[Event]:
        # Optional there: without it, what the messages told.
        usage = loose.fields(event.get("usage")) or self._tokens
        tokens = [loose.count(usage.get(name)) for name in _TOKENS]
        milliseconds = loose.number(event.get("duration_ms"))
        self.result = Result(
            text=loose.text(event.get("result")),
            error=_error(event),
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cache_read_tokens=tokens[2],
            cache_write_tokens=tokens[3],
            turns=loose.count(event.get("num_turns")),
            duration=None if milliseconds is None else milliseconds / 1000,
        )
        return [self.result]


def _error(event: dict[str, Any]) -> str | None:
    if not event.get("is_error"):
        return None
    return loose.text(event.get("error")) or loose.text(event.get("subtype")) or "unknown"


def _call(block: dict[str, Any], parent: str | None) -> list[Event]:
    name, given = loose.text(block.get("name")), loose.fields(block.get("input"))
    telling = blocks.telling(given, _TELLING)
    start: list[Event] = [ToolStart(name, loose.text(block.get("id")), telling, parent)]
    if name == _TODO_TOOL:
        start.append(Todo(todo.items(given.get("todos"), "content"), parent))
    return start


def _tool_end(block: dict[str, Any], parent: str | None) -> Event:
    """A command that failed is no error here: its exit code stands in the answer."""
    output, ok = blocks.output(block.get("content")), block.get("is_error") is not True
    if output.startswith("{") and '"exitCode":' in output:
        answer = loose.parse(output.encode("utf-8", "replace")) or {}
        if "exitCode" in answer:
            code, output = answer["exitCode"], loose.text(answer.get("output"))
            ok, output = (ok, output) if code == 0 else (False, f"Exit code {code}\n{output}")
    return tool_end(loose.text(block.get("tool_use_id")), ok, output, parent)

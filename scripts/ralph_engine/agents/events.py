"""What an agent did, in words that no agent CLI owns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Union

# `parent` is the tool call whose subagent did it; `at` is set by whoever reads the stream.


class ToolStart(NamedTuple):
    name: str
    id: str
    summary: str
    parent: str | None = None
    at: float = 0.0


class ToolEnd(NamedTuple):
    """`output` may be cut; `lines` and `chars` count all of it."""

    id: str
    ok: bool
    output: str
    lines: int
    chars: int
    parent: str | None = None
    at: float = 0.0


class Text(NamedTuple):
    text: str
    parent: str | None = None
    at: float = 0.0


class Result(NamedTuple):
    """A final event. None is 'not told', never 0; tokens and cost include subagents."""

    text: str = ""
    error: str | None = None
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    turns: int | None = None
    duration: float | None = None
    context_window: int | None = None
    parent: str | None = None
    at: float = 0.0


class TodoItem(NamedTuple):
    text: str
    status: str


class Todo(NamedTuple):
    items: tuple[TodoItem, ...]
    parent: str | None = None
    at: float = 0.0


class Progress(NamedTuple):
    session: str
    model: str
    parent: str | None = None
    at: float = 0.0


class Retry(NamedTuple):
    attempt: int
    delay: float | None
    status: int | None
    error: str
    parent: str | None = None
    at: float = 0.0


class Unknown(NamedTuple):
    raw: str
    parent: str | None = None
    at: float = 0.0


Event = Union[ToolStart, ToolEnd, Text, Result, Todo, Progress, Retry, Unknown]

PENDING, IN_PROGRESS, COMPLETED = "pending", "in_progress", "completed"

_KINDS: dict[type, str] = {
    ToolStart: "tool_start",
    ToolEnd: "tool_end",
    Text: "text",
    Result: "result",
    Todo: "todo",
    Progress: "progress",
    Retry: "retry",
    Unknown: "unknown",
}
_BY_KIND: dict[str, Any] = {kind: event for event, kind in _KINDS.items()}


def as_json(event: Event) -> dict[str, Any]:
    document = {"kind": _KINDS[type(event)], **event._asdict()}
    if isinstance(event, Todo):
        document["items"] = [item._asdict() for item in event.items]
    if event.parent is None:
        del document["parent"]
    return document


def from_json(document: Mapping[str, Any]) -> Event:
    """What as_json made; what else stands there does not count."""
    kind = _BY_KIND[document["kind"]]
    values = {name: document[name] for name in kind._fields if name in document}
    if kind is Todo:
        values["items"] = tuple(TodoItem(item["text"], item["status"]) for item in values["items"])
    event: Event = kind(**values)
    return event

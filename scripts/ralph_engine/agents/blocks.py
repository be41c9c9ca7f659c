"""The blocks of a message in the words of the Messages API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import loose
from .excerpts import summary


def parent(event: dict[str, Any]) -> str | None:
    """The tool call whose subagent said it."""
    return loose.text(event.get("parent_tool_use_id")) or None


def of(event: dict[str, Any]) -> list[dict[str, Any]]:
    return loose.objects(loose.fields(event.get("message")).get("content"))


def telling(given: dict[str, Any], names: Iterable[str]) -> str:
    """The first of `names` that a tool's input has."""
    for name in names:
        value = given.get(name)
        if type(value) is str and value:
            return summary(value)
    return ""


def output(content: Any) -> str:
    if type(content) is str:
        return content
    return "\n".join(
        loose.text(block.get("text")) if block.get("type") == "text" else f"[{block.get('type')}]"
        for block in loose.objects(content)
    )

"""What codex did with a tool: an item of its stream, as the start and the end of a call."""

from __future__ import annotations

import shlex
from typing import Any, Callable

from . import loose
from .events import Event, ToolStart
from .excerpts import summary, tool_end

_SHELL_FLAGS = (" -lc ", " -c ")
_LONGEST_WORD = 20_000

Item = dict[str, Any]


def events(item: Item, kind: str, stage: str) -> list[Event]:
    call = loose.text(item.get("id"))
    if stage == "item.started":
        name, told = TOOLS[kind](item)
        return [ToolStart(name, call, summary(told))]
    if stage == "item.completed":
        return [tool_end(call, item.get("status") in (None, "completed"), _output(item, kind))]
    return []


def _shell(item: Item) -> tuple[str, str]:
    return "Shell", _unwrapped(loose.text(item.get("command")))


def _edit(item: Item) -> tuple[str, str]:
    changes = loose.objects(item.get("changes"))
    told = (f"{loose.text(c.get('kind'))} {loose.text(c.get('path'))}" for c in changes[:5])
    return "Edit", ", ".join(told)


def _mcp(item: Item) -> tuple[str, str]:
    return f"{loose.text(item.get('server'))}.{loose.text(item.get('tool'))}", ""


def _collab(item: Item) -> tuple[str, str]:
    return f"Agent.{loose.text(item.get('tool'))}", loose.text(item.get("prompt"))


def _search(item: Item) -> tuple[str, str]:
    return "WebSearch", loose.text(item.get("query"))


TOOLS: dict[str, Callable[[Item], tuple[str, str]]] = {
    "command_execution": _shell,
    "file_change": _edit,
    "mcp_tool_call": _mcp,
    "collab_tool_call": _collab,
    "web_search": _search,
}


def _unwrapped(command: str) -> str:
    """/bin/bash -lc 'make test' -> make test"""
    for flag in _SHELL_FLAGS:
        shell, found, inner = command.partition(flag)
        if found and " " not in shell and shell.endswith("sh"):
            return _unquoted(inner)
    return command


def _unquoted(word: str) -> str:
    """One word of a shell; the usual one is in single quotes throughout."""
    if word[:1] == word[-1:] == "'" and word.count("'") == 2:
        return word[1:-1]
    try:
        words = shlex.split(word) if len(word) < _LONGEST_WORD else []
    except ValueError:
        words = []
    return words[0] if len(words) == 1 else word


def _output(item: Item, kind: str) -> str:
    if kind == "command_execution":
        return _exit(item) + loose.text(item.get("aggregated_output"))
    failure = loose.text(loose.fields(item.get("error")).get("message"))
    blocks = loose.objects(loose.fields(item.get("result")).get("content"))
    return failure or "\n".join(loose.text(block.get("text")) for block in blocks)


def _exit(item: Item) -> str:
    """What a command printed does not say how it ended."""
    code = loose.count(item.get("exit_code"))
    return f"Exit code {code}\n" if code else ""

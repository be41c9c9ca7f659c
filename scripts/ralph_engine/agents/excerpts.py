"""Pieces of an agent's stream, cut to what a journal and a screen can take."""

from __future__ import annotations

from .events import ToolEnd, Unknown

LONGEST_RAW = 2_000
LONGEST_OUTPUT = 20_000
LONGEST_SUMMARY = 500
# What is looked for in an answer stands at its end.
LONGEST_ANSWER = 1024 * 1024


def unknown(line: bytes) -> Unknown:
    # Four bytes hold a character at most: no need to decode megabytes for a short excerpt.
    return Unknown(line[: 4 * LONGEST_RAW].decode("utf-8", "replace")[:LONGEST_RAW])


def summary(text: str) -> str:
    return text.strip().split("\n", 1)[0][:LONGEST_SUMMARY]


def tool_end(call: str, ok: bool, output: str, parent: str | None = None) -> ToolEnd:
    lines = output.count("\n") + (output != "" and not output.endswith("\n"))
    return ToolEnd(call, ok, output[:LONGEST_OUTPUT], lines, len(output), parent)

"""How the lines of a run look on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Display:
    """The limits are for what a tool printed."""

    emoji: bool = True
    color: bool = True
    timestamps: bool = False
    max_output_lines: int = 5
    max_output_chars: int = 500


def of(value: Mapping[str, Any]) -> Display:
    """From the merged settings, by their names there."""
    return Display(
        emoji=value["display.emoji"],
        color=value["display.color"],
        timestamps=value["display.timestamps"],
        max_output_lines=int(value["display.maxOutputLines"]),
        max_output_chars=int(value["display.maxOutputChars"]),
    )

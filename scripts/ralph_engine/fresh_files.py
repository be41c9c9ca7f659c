"""The files of a loop as `init` makes them: what they hold, and whether one still holds no more."""

from __future__ import annotations

import json
import re

from . import starter
from .plugin_folder import TEMPLATES

NAMES = ("prd.md", "tasks.json", "progress.txt")


def is_fresh(name: str, data: bytes) -> bool:
    """Nobody has written anything into it yet."""
    if name == "tasks.json":
        return _is_starter(data)
    template = (TEMPLATES / name).read_text(encoding="utf-8")
    pieces = re.split(r"\{\{[A-Z_]+\}\}", template)
    filled = "[^\n]*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(filled, data.decode("utf-8", "replace")) is not None


def _is_starter(data: bytes) -> bool:
    try:
        return starter.untouched_list(json.loads(data))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False

"""Settings of Claude Code by which a person switched all hooks off."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from ..core import files
from .finding import Finding, warn

SWITCH = "disableAllHooks"
_LIMIT = 1024 * 1024


def examine(root: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    """A run outdoes these for its own sessions; a loop inside a session cannot."""
    home = environment.get("HOME") or "/nonexistent"
    folder = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    own = os.path.join(root, ".claude")
    for place in (
        os.path.join(folder, "settings.json"),
        os.path.join(own, "settings.json"),
        os.path.join(own, "settings.local.json"),
    ):
        if _says_off(*os.path.split(place)):
            words = f"{place} switches all hooks off: /ralph-loop cannot work"
            yield warn("hooks", words, f"take {SWITCH} out of it")


def _says_off(folder: str, name: str) -> bool:
    try:
        value = json.loads(files.read_bytes(folder, name, _LIMIT))
    except (files.FileFault, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get(SWITCH) is True

"""One module per agent CLI, each with the names of adapter.Adapter."""

from __future__ import annotations

import os

from . import amp, claude, codex, command, gemini
from .adapter import Adapter

_BY_PROGRAM: dict[str, Adapter] = {
    adapter.NAME: adapter for adapter in (claude, codex, amp, gemini)
}
KNOWN = tuple(_BY_PROGRAM)


def choose(program: str) -> Adapter:
    """By the base name of the program; `command` takes what no other module knows."""
    name = os.path.basename(program)
    return _BY_PROGRAM.get(name[:-4] if name.endswith(".exe") else name, command)

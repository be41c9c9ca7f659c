"""States of a project in which a check should fail: all is ruined but what the check consists of.

An emptied script passes and a garbled one fails, whatever they would have found: so they are
spared. But one may be the work itself, as in `sh hello.sh | grep hello`: so not in every state.
Tests are kept in one emptied state: many a runner passes where it finds none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from ..core import files
from ..radar import kinds
from . import machinery, scratch
from .machinery import Chain

EMPTIED, GARBLED, GONE = "emptied", "garbled", "gone"
_CONTENT = {EMPTIED: b"", GARBLED: b")]} <<< nonsense of a rehearsal >>> {[(\n", GONE: None}
_SIZE_LIMIT = 64 * 1024


class Ruin(NamedTuple):
    """Of all but what steers tools, and the files of the project that are spared."""

    state: str
    spared: Chain


def of(command: str, project: str) -> list[Ruin]:
    """One that a check does not pass is enough: it can fail."""
    names = frozenset(scratch.names(project))
    chains = machinery.chains(command, names, lambda name: _text(project, name))
    every = Chain().union(*chains)
    tests = Chain(name for name in names if kinds.of(name) == kinds.TEST)
    emptied = dict.fromkeys((Chain(), *chains, every | tests))
    return [*(Ruin(EMPTIED, spared) for spared in emptied), Ruin(GARBLED, every), Ruin(GONE, every)]


def bring(ruin: Ruin, folder: str, project: str, loop: Sequence[str]) -> None:
    """Over a copy; what is below a folder of the loop stays too."""
    own = tuple(f"{name}/" for name in loop)

    def spared(name: str) -> bool:
        inside = os.path.relpath(os.path.join(folder, name), project)
        return machinery.steers(name) or inside in ruin.spared or inside.startswith(own)

    scratch.ruin(folder, spared, _CONTENT[ruin.state])


def _text(project: str, name: str) -> str:
    try:
        return files.read_bytes(project, name, _SIZE_LIMIT).decode("utf-8", "replace")
    except files.FileFault:
        return ""

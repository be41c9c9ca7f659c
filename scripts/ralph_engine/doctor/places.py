"""Room on the disks that a run writes to, and a state folder that can be made."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from .. import state_folder
from .finding import Finding, bad, ok, warn

LEAST_FREE = 50 * 2**20
FEW_FREE = 500 * 2**20


def examine(root: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    state = state_folder.of_project(root, environment)
    stands = _nearest(state)
    usable = stands.is_dir() and os.access(stands, os.W_OK | os.X_OK)
    if not usable:
        fix = "free the path, or set XDG_STATE_HOME to a folder of yours"
        words = f"{state} cannot be made: {stands} is no folder that you can write"
        yield bad("state folder", words, fix)
    places = [Path(root), *_temporary(), *([stands] if usable else [])]
    for place in {os.stat(place).st_dev: place for place in reversed(places)}.values():
        yield _room(place)


def _nearest(path: Path) -> Path:
    """The path itself, or what stands above where it would be made."""
    while not os.path.lexists(path):
        path = path.parent
    return path


def _temporary() -> list[Path]:
    try:
        return [Path(tempfile.gettempdir())]
    except OSError:  # told where it is needed
        return []


def _room(place: Path) -> Finding:
    free = shutil.disk_usage(place).free
    words = f"{free // 2**20} MiB free on the disk of {place}"
    if free < LEAST_FREE:
        return bad("disk", f"only {words}: no run starts", "make room")
    if free < FEW_FREE:
        return warn("disk", f"only {words}", "make room: a long run keeps logs and prompts")
    return ok("disk", words)

"""Moves a plan into its archive so that at any instant all of it is in one place or the other.

What is not finished lies in one folder; whatever ended us, `put_back` takes it from there.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from .core import files, paths
from .failure import Failure
from .fresh_files import NAMES, is_fresh

STAGING = f"{paths.ARCHIVE}/.unfinished"
ADDED = ("summary.md", "report.md", "report.html")
LIMIT = 32 * 1024 * 1024


class Plan(NamedTuple):
    """`old`: the files there are; `new`: what takes their place; `added`: what comes with them."""

    old: dict[str, bytes]
    new: dict[str, bytes]
    added: dict[str, bytes]


def put_away(root: str, plan: Plan, target: str) -> None:
    for name, data in plan.added.items():
        files.replace_bytes(root, f"{STAGING}/{name}", data)
    for name, data in plan.new.items():
        if name in plan.old:
            files.move(root, _own(name), f"{STAGING}/{name}")
        files.replace_bytes(root, _own(name), data)
    files.move(root, STAGING, target)


def take_back(root: str, plan: Plan, target: str) -> None:
    """Everything as it was before `put_away`, however far that came."""
    if files.kind(root, target) == "folder":
        files.move(root, target, STAGING)
    for name in plan.new:
        if name not in plan.old and files.kind(root, _own(name)) == "file":
            files.remove(root, _own(name))
    _put_back(root)
    for name, data in plan.old.items():
        # A commit hook may have tidied it up.
        if files.read_bytes(root, _own(name), LIMIT) != data:
            mode = os.lstat(os.path.join(root, _own(name))).st_mode & 0o777
            files.replace_bytes(root, _own(name), data, mode)


def put_back(root: str) -> bool:
    """What an archive that was cut off had taken; False where there is nothing of the kind."""
    if files.kind(root, STAGING) != "folder":
        return False
    changed = [name for name in _taken(root) if not _gives_way(root, name)]
    if changed:
        raise Failure(
            f"{STAGING} holds what an archive had taken when it was cut off,"
            f" and {_own(changed[0])} was written since",
            "put the two together by hand, remove that folder, then archive again",
        )
    _put_back(root)
    return True


def _put_back(root: str) -> None:
    for name in _taken(root):
        files.move(root, f"{STAGING}/{name}", _own(name))
    for name in ADDED:
        if files.kind(root, f"{STAGING}/{name}") == "file":
            files.remove(root, f"{STAGING}/{name}")
    for path in (*map(_own, NAMES), *(f"{STAGING}/{name}" for name in ADDED)):
        files.forget_unfinished(root, path)
    files.drop_empty(root, STAGING)
    files.drop_empty(root, paths.ARCHIVE)


def _taken(root: str) -> list[str]:
    return [name for name in NAMES if files.kind(root, f"{STAGING}/{name}") == "file"]


def _gives_way(root: str, name: str) -> bool:
    try:
        return is_fresh(name, files.read_bytes(root, _own(name), LIMIT))
    except files.Missing:
        return True


def _own(name: str) -> str:
    return f"{paths.DEFAULT_RALPH_DIR}/{name}"

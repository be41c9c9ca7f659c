"""Moves a plan into its archive so that at any instant all of it is in one place or the other.

What is not finished lies in one folder; whatever ended us, `put_back` takes it from there.
"""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import quote

from .core import files, paths
from .failure import Failure
from .fresh_files import NAMES, is_fresh

ADDED = ("summary.md", "report.md", "report.html")
LIMIT = 32 * 1024 * 1024


class Place(NamedTuple):
    """A project and the folder of its plan."""

    root: str
    folder: str

    def own(self, name: str) -> str:
        return f"{self.folder}/{name}"

    @property
    def staging(self) -> str:
        """One for each folder, so that nothing is put back into another one."""
        other = "" if self.folder == paths.DEFAULT_RALPH_DIR else f"-{quote(self.folder, safe='')}"
        return f"{paths.ARCHIVE}/.unfinished{other}"


class Plan(NamedTuple):
    """`old`: the files there are; `new`: what takes their place; `added`: what comes with them."""

    old: dict[str, bytes]
    new: dict[str, bytes]
    added: dict[str, bytes]


def put_away(place: Place, plan: Plan, target: str) -> None:
    for name, data in plan.added.items():
        files.replace_bytes(place.root, f"{place.staging}/{name}", data)
    for name, data in plan.new.items():
        if name in plan.old:
            files.move(place.root, place.own(name), f"{place.staging}/{name}")
        files.replace_bytes(place.root, place.own(name), data)
    files.move(place.root, place.staging, target)


def take_back(place: Place, plan: Plan, target: str) -> None:
    """Everything as it was before `put_away`, however far that came."""
    if files.kind(place.root, target) == "folder":
        files.move(place.root, target, place.staging)
    for name in plan.new:
        if name not in plan.old and files.kind(place.root, place.own(name)) == "file":
            files.remove(place.root, place.own(name))
    _put_back(place)
    for name, data in plan.old.items():
        # A commit hook may have tidied it up.
        if files.read_bytes(place.root, place.own(name), LIMIT) != data:
            mode = os.lstat(os.path.join(place.root, place.own(name))).st_mode & 0o777
            files.replace_bytes(place.root, place.own(name), data, mode)


def put_back(place: Place) -> bool:
    """What an archive that was cut off had taken; False where there is nothing of the kind."""
    if files.kind(place.root, place.staging) != "folder":
        return False
    changed = [name for name in _taken(place) if not _gives_way(place, name)]
    if changed:
        raise Failure(
            f"{place.staging} holds what an archive had taken when it was cut off,"
            f" and {place.own(changed[0])} was written since",
            "put the two together by hand, remove that folder, then archive again",
        )
    _put_back(place)
    return True


def _put_back(place: Place) -> None:
    for name in _taken(place):
        files.move(place.root, f"{place.staging}/{name}", place.own(name))
    for name in ADDED:
        if files.kind(place.root, f"{place.staging}/{name}") == "file":
            files.remove(place.root, f"{place.staging}/{name}")
    for path in (*map(place.own, NAMES), *(f"{place.staging}/{name}" for name in ADDED)):
        files.forget_unfinished(place.root, path)
    files.drop_empty(place.root, place.staging)
    files.drop_empty(place.root, paths.ARCHIVE)


def _taken(place: Place) -> list[str]:
    return [name for name in NAMES if files.kind(place.root, f"{place.staging}/{name}") == "file"]


def _gives_way(place: Place, name: str) -> bool:
    try:
        return is_fresh(name, files.read_bytes(place.root, place.own(name), LIMIT))
    except files.Missing:
        return True

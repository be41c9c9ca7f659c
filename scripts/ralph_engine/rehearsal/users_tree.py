"""Whether the user's tree is as it was: every path of the repository that holds the project."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..core import protected_paths

Tree = dict[str, tuple[int, ...]]


def look(root: str) -> Tree:
    """The time of a change of state cannot be set back: no write goes unseen, and nothing is read.

    A read leaves the access time, which is therefore not looked at.
    """
    tops = [protected_paths.repository(root), *protected_paths.git_folders(root)]
    return {path: _state(path) for top in dict.fromkeys(tops) for path in _paths(top)}


def differences(before: Tree, after: Tree) -> list[str]:
    return sorted(path for path in before.keys() | after if before.get(path) != after.get(path))


def _paths(top: str) -> Iterator[str]:
    yield top
    for folder, folders, names in os.walk(top):
        yield from (os.path.join(folder, name) for name in (*folders, *names))


def _state(path: str) -> tuple[int, ...]:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

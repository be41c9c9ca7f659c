"""Tables of paths below a home folder, asked for every path of a command."""

from __future__ import annotations

import os

from .shell import globs
from .shell.values import UNKNOWN


class HomeFiles:
    """A star stands for one step of a path, or for a part of one."""

    def __init__(self, names: str) -> None:
        self.names = names.split()
        self._by_first: dict[str, list[str]] = {}
        for name in self.names:
            self._by_first.setdefault(name.partition("/")[0], []).append(name)

    def has(self, path: str, home: str) -> bool:
        """By any name that the path has; in any home, also where a part of it is not known."""
        ways = [path.replace(UNKNOWN, "*")]
        if UNKNOWN not in path:
            ways.append(os.path.realpath(path))
        rests = {_below_home(os.path.normpath(way), home) for way in ways}
        return any(rest and self._has(rest) for rest in rests)

    def _has(self, rest: str) -> bool:
        first = rest.partition("/")[0]
        names = self.names if globs.is_glob(first) else self._by_first.get(first, [])
        return any(_fits(rest, name) for name in names)


def _below_home(path: str, home: str) -> str:
    for folder in (home, "/root"):
        if path.startswith(folder + "/"):
            return path[len(folder) + 1 :]
    if path.startswith(("/home/", "/Users/")):
        return "/".join(path.split("/")[3:])
    return ""


def _fits(rest: str, name: str) -> bool:
    """Two patterns, step by step: near enough."""
    ours, theirs = rest.split("/"), name.split("/")
    return len(ours) == len(theirs) and all(
        globs.matches(pattern, step) or globs.matches(step, pattern)
        for step, pattern in zip(ours, theirs)
    )

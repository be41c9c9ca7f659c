"""Where a project's git keeps what an agent may write, and what it may not."""

from __future__ import annotations

import os
from typing import NamedTuple

from .. import git

_COMMON = ("config", "config.worktree", "commondir", "hooks", "info/attributes")
_OWN = ("commondir", "gitdir", "config.worktree")


class Folders(NamedTuple):
    """`entry` is the .git that git finds first; a linked worktree has a folder of its `own`.

    `steering` are the files and folders that decide what git runs and where; some may not exist.
    """

    entry: str
    own: str
    common: str
    steering: list[str]

    @property
    def top(self) -> str:
        return os.path.dirname(self.entry)

    @property
    def writable(self) -> list[str]:
        """As a mount of its own a folder can be neither renamed nor removed from inside."""
        both = dict.fromkeys([self.common, self.own])
        return [path for path in both if os.path.isdir(path)]


def find(root: str) -> Folders | None:
    """None where the project is in no repository."""
    answer = git.ask(root, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    if answer.code != 0 or len(answer.lines) != 3:
        return None
    top, own, common = (os.path.realpath(os.path.join(root, line)) for line in answer.lines)
    entry = os.path.join(top, ".git")
    steering = [entry] if os.path.isfile(entry) else []
    steering += [os.path.join(common, name) for name in _COMMON]
    steering += [os.path.join(own, name) for name in _OWN]
    steering += _included(root, (root, own, common))
    return Folders(entry, own, common, list(dict.fromkeys(steering)))


def _included(root: str, areas: tuple[str, ...]) -> list[str]:
    """Parts of the configuration that lie where an agent can write."""
    listed = git.ask(root, "config", "--list", "--show-origin", "-z").output
    entries = listed.decode("utf-8", "surrogateescape").split("\0")
    wanted = []
    for origin, entry in zip(entries[::2], entries[1::2]):
        kind, _, path = origin.partition(":")
        path = os.path.normpath(os.path.join(root, path))
        if kind == "file":
            wanted.append(path)
        key, _, value = entry.partition("\n")
        if key.startswith("include") and key.endswith(".path") and value:
            base = os.path.dirname(path)
            wanted.append(os.path.normpath(os.path.join(base, os.path.expanduser(value))))
    return [path for path in wanted if any(path.startswith(f"{area}/") for area in areas)]

"""Where a project's git keeps what an agent may write, and what it may not."""

from __future__ import annotations

import os
from typing import NamedTuple

from .. import git


class Folders(NamedTuple):
    """`entry` is the .git that git finds first; a linked worktree has a folder of its own."""

    entry: str
    own: str
    common: str


def find(root: str) -> Folders | None:
    """None where the project is in no repository."""
    answer = git.ask(root, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    if answer.code != 0 or len(answer.lines) != 3:
        return None
    top, own, common = (os.path.realpath(os.path.join(root, line)) for line in answer.lines)
    return Folders(os.path.join(top, ".git"), own, common)


def writable(root: str) -> list[str]:
    """As a mount of its own a folder can be neither renamed nor removed from inside."""
    found = find(root)
    if found is None:
        return []
    return [path for path in dict.fromkeys([found.common, found.own]) if os.path.isdir(path)]


def read_only(root: str) -> list[str]:
    """Each may name a program that the host's git runs, or lead git elsewhere."""
    found = find(root)
    if found is None:
        return []
    links = [found.entry] if os.path.isfile(found.entry) else []
    return [path for path in [*links, *steering(root, found)] if os.path.lexists(path)]


def steering(root: str, found: Folders) -> list[str]:
    """The files and folders that decide what git runs and where; some may not exist."""
    own = [os.path.join(found.own, n) for n in ("commondir", "gitdir", "config.worktree")]
    names = ("config", "config.worktree", "commondir", "hooks", "info/attributes")
    common = [os.path.join(found.common, name) for name in names]
    return list(dict.fromkeys([*common, *own, *_included(root, found)]))


def _included(root: str, found: Folders) -> list[str]:
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
    areas = (root, found.own, found.common)
    return [path for path in wanted if any(path.startswith(f"{area}/") for area in areas)]

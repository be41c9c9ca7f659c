"""What of a person's own git settings must hold inside: those that change what git sees.

Without them a file that they ignore everywhere would look like uncommitted work there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from .. import git

_FILES = ("core.excludesfile", "core.attributesfile")
_SEEING = (
    *("core.autocrlf", "core.eol", "core.safecrlf", "core.filemode", "core.ignorecase"),
    *("core.precomposeunicode", "core.symlinks", "safe.directory", "init.defaultbranch"),
)


class Person(NamedTuple):
    """`files` are to be shown at their paths."""

    variables: dict[str, str]
    files: list[str]


def find(environment: Mapping[str, str]) -> Person:
    listed = git.ask("/", "config", "--global", "--includes", "--list", "-z").output
    entries = [e.partition("\n")[::2] for e in listed.decode("utf-8", "replace").split("\0") if e]
    kept = [(key, value) for key, value in entries if _changes_sight(key)]
    named = [git.ask("/", "config", "--global", "--includes", "--path", k).text for k in _FILES]
    kept += [(key, path) for key, path in zip(_FILES, named) if path]
    usual = [os.path.join(_folder(environment), name) for name in ("ignore", "attributes")]
    shown = [path for path in [*named, *usual] if path and os.path.isfile(path)]
    return Person(_numbered(kept, environment), shown)


def _changes_sight(key: str) -> bool:
    """A filter's programs run inside, where they can do no more than the agent."""
    return key in _SEEING or key.startswith("filter.")


def _folder(environment: Mapping[str, str]) -> str:
    home = environment.get("HOME") or "/"
    return os.path.join(environment.get("XDG_CONFIG_HOME") or f"{home}/.config", "git")


def _numbered(kept: list[tuple[str, str]], environment: Mapping[str, str]) -> dict[str, str]:
    """Behind what the person's environment already says in this way."""
    given = environment.get("GIT_CONFIG_COUNT") or "0"
    first = int(given) if given.isdigit() else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(kept))} if kept else {}
    for number, (key, value) in enumerate(kept, first):
        found[f"GIT_CONFIG_KEY_{number}"] = key
        found[f"GIT_CONFIG_VALUE_{number}"] = value
    return found

"""What a check itself consists of: what steers its tools, and the scripts that it starts."""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Set
from typing import Callable

from ..radar import kinds, named_files

_MAKEFILE = re.compile(r"(?:^|/)(?:GNUmakefile|[Mm]akefile|[^/]*\.mk)$")
_RECIPES = re.compile(r"(?:^|/)(?:\.?[Jj]ustfile|[Rr]akefile|Taskfile\.ya?ml)$")
# It reads the file and starts nothing.
_LOOK = re.compile(
    r"\b(?:(?:ba|da|z|k)?sh\s+-[a-z]{0,8}n[a-z]{0,8}|node\s+(?:-c|--check)|ruby\s+-\w*c|perl\s+-\w*c|php\s+-l)"
    r"(?=\s)"
)
_VARIABLE = r"\$(?:\w{1,100}|\{[^}]{0,100}\}|\([^()]{0,100}\))"
_AS_PROGRAM = re.compile(rf"[\"']?{_VARIABLE}[\"']?(?=\s)")
_AS_FOLDER = re.compile(rf"{_VARIABLE}(?=/)")
_ANY = re.compile("")
_MOST = 8

Chain = frozenset[str]


def steers(path: str) -> bool:
    """Ruined, it makes any tool fail, whatever that would have found."""
    of_tools = _MAKEFILE.search(path) or _RECIPES.search(path)
    return bool(of_tools) or kinds.of(path) == kinds.CONFIGURATION


def chains(command: str, names: Set[str], read: Callable[[str], str]) -> list[Chain]:
    """Each script that it starts, with those through which it does; the nearest first."""
    found: dict[str, Chain] = {}
    todo = deque([(command, "", Chain())])
    while todo and len(found) < _MOST:
        text, folder, through = todo.popleft()
        new = sorted(_started(text, folder, names, read) - found.keys())
        for name in new[: _MOST - len(found)]:
            found[name] = through if steers(name) else through | {name}
            todo.append((read(name), posixpath.dirname(name), found[name]))
    return [*dict.fromkeys(filter(None, found.values()))]


def _started(text: str, folder: str, names: Set[str], read: Callable[[str], str]) -> set[str]:
    """A script may mean the folder that it is in. A Makefile stands for the goal that is made."""

    def text_of(name: str) -> str | None:
        return _LOOK.sub("true", read(name)) if name in names and steers(name) else None

    plain = _AS_FOLDER.sub(".", _AS_PROGRAM.sub("sh", _LOOK.sub("true", text)))
    lines = [line.strip().lstrip("@-+") for line in plain.replace("\\\n", " ").split("\n")]
    named = named_files.of(lines, text_of, _ANY)
    found = {*named, *(posixpath.normpath(posixpath.join(folder, name)) for name in named)}
    return {name for name in found & names if not _MAKEFILE.search(name)}

"""What a check itself consists of: what steers its tools, and the scripts that it starts."""

from __future__ import annotations

import json
import posixpath
import re
from collections import deque
from collections.abc import Set
from typing import Callable

from ..radar import kinds, named_files

_COMMANDS = re.compile(
    r"(?:^|/)(?:GNUmakefile|[Mm]akefile|[^/]*\.mk|\.?[Jj]ustfile|[Rr]akefile|Taskfile\.ya?ml"
    r"|package\.json)$"
)
_THEIR_TOOLS = re.compile(r"\b(?:g?make|just|rake|task|npm|pnpm|yarn|bun)\b")
# It reads the file and starts nothing.
_LOOK = re.compile(
    r"\b(?:(?:ba|da|z|k)?sh\s+-\w*n\w*|node\s+(?:-c|--check)|ruby\s+-\w*c|perl\s+-\w*c|php\s+-l)"
    r"\s+\S+"
)
_VARIABLE = r"\$(?:\w{1,100}|\{[^}]{0,100}\}|\([^()]{0,100}\))"
_AS_PROGRAM = re.compile(rf"[\"']?{_VARIABLE}[\"']?(?=\s)")
_AS_FOLDER = re.compile(rf"{_VARIABLE}(?=/)")
_MOST = 8

Chain = frozenset[str]


def steers(path: str) -> bool:
    """Ruined, it makes any tool fail, whatever that would have found."""
    return kinds.of(path) == kinds.CONFIGURATION or _COMMANDS.search(path) is not None


def chains(command: str, names: Set[str], read: Callable[[str], str]) -> list[Chain]:
    """Each script that it starts, with those through which it does; the nearest first."""
    found: dict[str, Chain] = {}
    todo = deque([(command, "", Chain())])
    while todo and len(found) < _MOST:
        text, folder, through = todo.popleft()
        new = sorted(_started(text, folder, names) - found.keys())
        for name in new[: _MOST - len(found)]:
            found[name] = through if steers(name) else through | {name}
            todo.append((_commands_in(name, read(name)), posixpath.dirname(name), found[name]))
    return [*dict.fromkeys(filter(None, found.values()))]


def _started(text: str, folder: str, names: Set[str]) -> set[str]:
    """A script may mean the folder that it is in."""
    plain = _AS_FOLDER.sub(".", _AS_PROGRAM.sub("sh", _LOOK.sub("", text)))
    lines = [line.strip().lstrip("@-+") for line in plain.replace("\\\n", " ").split("\n")]
    named = named_files.of(lines)
    found = {*named, *(posixpath.normpath(posixpath.join(folder, name)) for name in named)}
    return {*(found & names), *_of_tools(text, names)}


def _of_tools(text: str, names: Set[str]) -> list[str]:
    """Too many do no harm: each chain is spared by itself."""
    if not _THEIR_TOOLS.search(text):
        return []
    found = [name for name in names if _COMMANDS.search(name)]
    return [name for name in found if posixpath.dirname(name) in text]


def _commands_in(name: str, text: str) -> str:
    if posixpath.basename(name) != "package.json":
        return text
    try:
        return "\n".join(str(script) for script in json.loads(text)["scripts"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""

"""Builtins that change the shell itself: its folder, its variables, its arguments."""

from __future__ import annotations

from .values import EMPTY, UNKNOWN, UNSET, Feed, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .state import Shell

    Builtin = Callable[[Shell, list[str], "Feed | None", frozenset[str]], "Feed | None"]


def _cd(shell: Shell, words: list[str], _: Feed | None, __: frozenset[str]) -> Feed:
    names = [word for word in words[1:] if not word.startswith("-") or word == "-"]
    target = names[0] if names else shell.home
    shell.enter(shell.old_cwd if target == "-" else target)
    return EMPTY


def _popd(shell: Shell, _: list[str], __: Feed | None, ___: frozenset[str]) -> Feed:
    shell.enter(shell.old_cwd)
    return EMPTY


def _read(shell: Shell, words: list[str], feed: Feed | None, _: frozenset[str]) -> Feed:
    """The first line (all of it with -d) goes to the names: a field each, the rest to the last."""
    names = [word for word in words[1:] if word.isidentifier()] or ["REPLY"]
    whole = any(word[:1] == "-" and "d" in word for word in words[1:])
    line = feed.text if feed else UNKNOWN
    line = line.rstrip() if whole else line.split("\n", 1)[0]
    missing = "" if known(line) else UNKNOWN
    for place, name in enumerate(names):
        parts = line.split(None, 1 if place + 1 < len(names) else 0)
        shell.variables[name] = parts[0] if parts else missing
        line = parts[1] if len(parts) > 1 else ""
    return EMPTY


def _unset(shell: Shell, words: list[str], _: Feed | None, __: frozenset[str]) -> Feed:
    for name in words[1:]:
        shell.variables[name] = UNSET
        shell.functions.pop(name, None)
    return EMPTY


def _set(shell: Shell, words: list[str], _: Feed | None, __: frozenset[str]) -> Feed:
    if "--" in words:
        shell.positional = words[words.index("--") + 1 :]
    elif words[1:] and words[1][:1] not in ("-", "+"):
        shell.positional = words[1:]
    return EMPTY


def _shift(shell: Shell, words: list[str], _: Feed | None, __: frozenset[str]) -> Feed:
    count = int(words[1]) if words[1:] and words[1].isdigit() and len(words[1]) < 4 else 1
    shell.positional = shell.positional[count:]
    return EMPTY


def _export(shell: Shell, words: list[str], _: Feed | None, __: frozenset[str]) -> Feed:
    """Reached through `builtin export` and the like; the plain form has a node of its own."""
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            shell.variables[name] = value
    return EMPTY


def _printf(shell: Shell, words: list[str], feed: Feed | None, _: frozenset[str]) -> Feed | None:
    if words[1:2] != ["-v"] or len(words) < 4:
        return None
    from . import printed

    out = printed.output(shell, ["printf", *words[3:]], feed, frozenset())
    shell.variables[words[2]] = out.text
    return EMPTY


def _mapfile(shell: Shell, words: list[str], feed: Feed | None, _: frozenset[str]) -> Feed:
    name = words[-1] if words[-1].isidentifier() else "MAPFILE"
    shell.variables[name] = feed.text.splitlines() if feed else UNKNOWN
    return EMPTY


BUILTINS: dict[str, Builtin] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "popd": _popd,
    "read": _read,
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _export),
    "printf": _printf,
    "mapfile": _mapfile,
    "readarray": _mapfile,
}

"""The files that one simple command starts or is steered by, and the commands in these."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Callable, NamedTuple, Optional

from . import inner_commands
from .simple_commands import Command, Shell

Texts = Callable[[str], Optional[str]]

# GNU make reads the first that is there.
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAKES = ("make", "gmake", "$MAKE")
_PACKAGERS = ("npm", "yarn", "pnpm", "bun")
_INTERPRETERS = re.compile(
    r"(?:ba|da|z|k)?sh|python[0-9.]*|pypy3?|node|deno|tsx|ts-node|ruby|perl|php|source|\."
    # What a variable names in front of a file is mostly one of these.
    r"|\$\w+"
)
_STEERED_BY = {
    "just": ("justfile", "Justfile", ".justfile"),
    "rake": ("Rakefile", "rakefile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "bats": (),
    **dict.fromkeys(("pytest", "py.test", "jest", "vitest", "mocha", "eslint", "playwright"), ()),
}
_FILE_OPTIONS = ("-c", "--config", "--config-file", "--rcfile", "-f", "--file", "--makefile")
_FOLDER_OPTIONS = ("-C", "--directory", "--dir", "--working-directory", "--prefix", "--cwd")
# Of interpreters; of a shell, `-euo pipefail`.
_WITH_VALUE = re.compile("-[XWr]|--require|--import|[-+][a-z]*o")
_MOST_INCLUDED = 20


class Started(NamedTuple):
    """The name is relative to the project; '' is no file."""

    name: str
    shells: tuple[Shell, ...] = ()


def by(command: Command, text_of: Texts) -> Iterator[Started]:
    base = posixpath.basename(command.program)
    if base in _MAKES:
        yield from _made(command, text_of)
    elif base in _PACKAGERS:
        yield from _packaged(command, text_of)
    elif base in _STEERED_BY:
        # Only of programs that go there: another one's -C has another meaning.
        folders = _values(command.rest, _FOLDER_OPTIONS) if _STEERED_BY[base] else []
        for name in (*_STEERED_BY[base], *_values(command.rest, _FILE_OPTIONS)):
            yield Started(command.path(*folders, name))
    elif _INTERPRETERS.fullmatch(base):
        yield from _interpreted(command, text_of)
    elif "/" in command.program and not command.program.startswith("/"):
        yield _script(command, command.program, text_of)


def _made(command: Command, text_of: Texts) -> Iterator[Started]:
    folders, named = (_values(command.rest, o) for o in (_FOLDER_OPTIONS, _FILE_OPTIONS))
    names = [command.path(*folders, name) for name in named or MAKEFILES]
    there = [number for number, name in enumerate(names, 1) if text_of(name) is not None]
    files = _with_included(command, names if named else names[: min(there, default=0)], text_of)
    # Not how many jobs.
    goals = [word for word in _plain(command.rest) if not word.isdigit()]
    lines = inner_commands.of_make([text_of(name) or "" for name in files], goals)
    shells = _shells(command, lines, command.path(*folders))
    for place, name in enumerate(files):
        yield Started(name, () if place else shells)


def _with_included(command: Command, names: list[str], text_of: Texts) -> list[str]:
    found, folders = list(names), _values(command.rest, _FOLDER_OPTIONS)
    # The list grows while it is read.
    for name in found:
        inner = inner_commands.included(text_of(name) or "")[:_MOST_INCLUDED]
        paths = dict.fromkeys(command.path(*folders, path) for path in inner)
        found += [path for path in paths if path not in found]
    return found


def _packaged(command: Command, text_of: Texts) -> Iterator[Started]:
    """A script of a package is a file in its package.json."""
    folder = command.path(*_values(command.rest, _FOLDER_OPTIONS))
    words = [word for word in _plain(command.rest) if word not in ("run", "run-script")]
    if command.program == "bun" and "." in "".join(words[:1]):
        yield _script(command, words[0], text_of)
    elif words:
        script = "test" if words[0] == "t" else words[0]
        manifest = posixpath.normpath(posixpath.join(folder, "package.json"))
        lines = inner_commands.of_package(text_of(manifest) or "", script)
        yield Started(f"{manifest}/scripts.{script}", _shells(command, lines, folder))


def _interpreted(command: Command, text_of: Texts) -> Iterator[Started]:
    rest = command.rest
    for number, word in enumerate(rest):
        if word == "-m":
            names = _values(rest[number + 2 :], _FILE_OPTIONS)
            yield from (Started(command.path(name)) for name in names)
            return
        if re.fullmatch("-[a-z]*c", word):
            yield Started("", _shells(command, rest[number + 1 :][:1], command.folder))
            return
        value = number and _WITH_VALUE.fullmatch(rest[number - 1])
        if not value and not word.startswith("-") and word != "run":
            yield _script(command, word, text_of)
            return


def _script(command: Command, word: str, text_of: Texts) -> Started:
    name = command.path(word)
    lines = inner_commands.of_script(name, text_of(name) or "")
    homes = dict.fromkeys(("", posixpath.dirname(name))) if lines else ()
    return Started(name, tuple(_shell(command, lines, command.folder, home) for home in homes))


def _shells(command: Command, lines: Iterable[str], folder: str) -> tuple[Shell, ...]:
    """One for each line."""
    return tuple(_shell(command, [line], folder, command.shell.home) for line in lines)


def _shell(command: Command, lines: Iterable[str], folder: str, home: str) -> Shell:
    return Shell(tuple(lines), folder, home, command.shell.deep + 1, inside=True)


def _plain(rest: list[str]) -> list[str]:
    """Neither options nor their values."""
    valued = (*_FOLDER_OPTIONS, *_FILE_OPTIONS)
    words = zip(["", *rest], rest)
    return [w for before, w in words if before not in valued and not re.match(r"-|\w+=", w)]


def _values(rest: list[str], options: tuple[str, ...]) -> list[str]:
    """Behind it, after `=`, or of a short one in the same word."""
    found = []
    for word, following in zip(rest, [*rest[1:], ""]):
        option, _, value = word.partition("=")
        if option in options:
            found.append(value or following)
        elif word[:2] in options:
            found.append(word[2:])
    return found

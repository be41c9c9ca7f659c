"""The files that check commands name: the scripts they run and what steers these."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from . import simple_commands

_INTERPRETERS = re.compile(
    r"(?:ba|da|z|k)?sh|python[0-9.]*|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|source|\."
)
_STEERED_BY = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "rake": ("Rakefile", "rakefile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "bats": (),
    **dict.fromkeys(("pytest", "py.test", "jest", "vitest", "mocha", "eslint", "playwright"), ()),
}
_FILE_OPTIONS = ("-c", "--config", "--config-file", "--rcfile", "-f", "--file", "--makefile")
_FOLDER_OPTIONS = ("-C", "--directory", "--dir", "--working-directory")
# Of interpreters; of a shell, `-euo pipefail`.
_WITH_VALUE = re.compile("-[XWr]|--require|--import|[-+][a-z]*o")
# What stands in it is not known; mostly it is the project.
_VARIABLE = re.compile(r"(?:^|/)\$(?:\w+|\{[^}/]*\}|\([^)/]*\))(?=/|$)")
_DEEPEST = 3


def of(commands: Iterable[str]) -> frozenset[str]:
    """Relative to the project."""
    found = (name for command in commands for name in _in_text(command, "", 0))
    return frozenset(posixpath.normpath(name) for name in map(_in_project, found) if name)


def _in_project(name: str) -> str:
    return _VARIABLE.sub("", name).lstrip("/") if "$" in name else name


def _in_text(text: str, folder: str, deep: int) -> Iterator[str]:
    for place, (program, *rest) in simple_commands.read(text, folder):
        for name in _in_command(program, rest, deep):
            yield posixpath.join(place, name)


def _in_command(program: str, rest: list[str], deep: int) -> Iterator[str]:
    base = posixpath.basename(program)
    if _INTERPRETERS.fullmatch(base):
        yield from _in_interpreter(rest, deep)
    elif base in _STEERED_BY:
        # Only of programs that go there: another one's -C has another meaning.
        goes = _values(rest, _FOLDER_OPTIONS) if _STEERED_BY[base] else ()
        for name in (*_STEERED_BY[base], *_values(rest, _FILE_OPTIONS)):
            yield posixpath.join(*goes, name)
    elif "/" in program and not program.startswith("/"):
        yield program


def _in_interpreter(rest: list[str], deep: int) -> Iterator[str]:
    for number, word in enumerate(rest):
        value = number > 0 and _WITH_VALUE.fullmatch(rest[number - 1])
        if word == "-m":
            yield from _values(rest[number + 2 :], _FILE_OPTIONS)
            return
        if re.fullmatch("-[a-z]*c", word):
            text = rest[number + 1 :][:1]
            yield from _in_text(text[0], "", deep + 1) if text and deep < _DEEPEST else ()
            return
        if not value and not word.startswith("-") and word != "run":
            yield word
            return


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

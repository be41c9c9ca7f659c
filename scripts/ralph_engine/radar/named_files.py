"""The files that check commands name: the scripts they run and what steers these."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator

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
# Each starts the program behind it.
_WRAPPERS = ("env", "exec", "time", "nice", "nohup", "command", "npx", "bunx", "timeout", "!")
_RUNNERS = {"uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "bundle": "exec"}
_NUMBER = re.compile(r"[0-9.]+[smhd]?")
_ASSIGNED = re.compile(r"\w+=")
# Of interpreters; of a shell, `-o pipefail`.
_WITH_VALUE = ("-X", "-W", "-r", "-o", "--require", "--import")
_DEEPEST = 3


def of(commands: Iterable[str]) -> frozenset[str]:
    """Relative to the project."""
    found = (name for command in commands for name in _in_text(command, "", 0))
    return frozenset(posixpath.normpath(name) for name in found if name)


def _in_text(text: str, folder: str, deep: int) -> Iterator[str]:
    for words in _simple(text):
        words = _unwrapped(words)
        if not words:
            continue
        program, rest = words[0], words[1:]
        if program == "cd":
            folder = posixpath.join(folder, rest[0] if rest else "")
            continue
        for name in _in_command(program, rest, deep):
            yield posixpath.join(folder, name)


def _simple(text: str) -> Iterator[list[str]]:
    """Cut where a shell begins another command; quotes that are left open are plain characters."""
    lexer = shlex.shlex(text.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = text.split()
    words: list[str] = []
    for token in tokens:
        if token and not token.strip("();<>|&"):
            yield words
            words = []
        else:
            words.append(token)
    yield words


def _unwrapped(words: list[str]) -> list[str]:
    while words:
        first, second = words[0], words[1:2]
        if _ASSIGNED.match(first) or first in _WRAPPERS or _NUMBER.fullmatch(first):
            words = words[1:]
        elif second and _RUNNERS.get(first) == second[0]:
            words = words[2:]
        else:
            break
    return words


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
        value = number > 0 and rest[number - 1] in _WITH_VALUE
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

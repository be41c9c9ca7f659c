"""The simple commands of a shell's text, each with the folder that it runs in."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST, _LONGEST_PATH = 20_000, 250
# A shell's words before a command, and programs that start the one behind them.
_BEFORE = frozenset(
    "if then elif else while until do { ! env exec time nice nohup command npx bunx timeout"
    " sudo xvfb-run stdbuf setsid".split()
)
_RUNNERS = {"uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "bundle": "exec"}
# Options of these that take a value, where that is no number.
_VALUED = ("-u", "-s", "--signal", "--with", "--extra", "--group")
_SKIPPED = re.compile(r"-|\w+=|[0-9.]+[smhd]?$")
_VARIABLE = re.compile(r"\$(?:\w+|\{[^}/]*\}|\([^)/]*\))(?:/|$)")


class Shell(NamedTuple):
    """What it reads and where; `home` is what its variables may stand for, besides the project.

    Each file that it starts leads one deeper; `inside` of one are the commands of no person.
    """

    texts: tuple[str, ...]
    folder: str = ""
    home: str = ""
    deep: int = 0
    inside: bool = False

    def within(self, folder: str, name: str) -> str:
        bare = _VARIABLE.sub("", name, 1).lstrip("/") if name.startswith("$") else name
        base = folder if bare == name else self.home
        return posixpath.normpath(posixpath.join(base, bare))[:_LONGEST_PATH]


class Command(NamedTuple):
    shell: Shell
    folder: str
    program: str
    rest: list[str]

    def path(self, *names: str) -> str:
        place = self.folder
        for name in names:
            place = self.shell.within(place, name)
        return place


def read(shell: Shell) -> Iterator[Command]:
    # Of each shell that is open the folder, and the one before, where `cd -` leads.
    places = [(shell.folder, shell.folder)]
    for words, end in (cut for text in shell.texts for cut in _cut(text[:_LONGEST])):
        program, *rest = words[_start(words) :] or [""]
        folder, before = places[-1]
        if program == "cd":
            there = before if rest == ["-"] else shell.within(folder, rest[0] if rest else "")
            places[-1] = there, folder
        elif program:
            yield Command(shell, folder, program, rest)
        _in_and_out(places, end)


def _in_and_out(places: list[tuple[str, str]], end: str) -> None:
    """A shell within a shell goes nowhere for the outer one."""
    for bracket in end:
        if bracket == "(":
            places.append(places[-1])
        # One behind a pattern of `case` closes what none opened.
        elif bracket == ")" and len(places) > 1:
            places.pop()


def _cut(text: str) -> Iterator[tuple[list[str], str]]:
    """Where a shell begins another command, and by what; quotes left open are plain characters."""
    lexer = shlex.shlex(text.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = text.split()
    words: list[str] = []
    for token in tokens:
        if token and not token.strip("();<>|&"):
            yield words, token
            words = []
        else:
            words.append(token)
    yield words, ""


def _start(words: list[str]) -> int:
    at = 0
    while at < len(words):
        if words[at] in _VALUED or words[at + 1 : at + 2] == [_RUNNERS.get(words[at])]:
            at += 2
        elif words[at] in _BEFORE or _SKIPPED.match(words[at]):
            at += 1
        else:
            break
    return at

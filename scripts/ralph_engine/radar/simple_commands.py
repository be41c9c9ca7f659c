"""The simple commands of a shell's text, each with the folder that it runs in."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator

# A shell's words before a command, and programs that start the one behind them.
_BEFORE = frozenset(
    "if then elif else while until do { ! env exec time nice nohup command npx bunx timeout"
    " sudo xvfb-run stdbuf setsid".split()
)
_RUNNERS = {"uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "bundle": "exec"}
# Options of these that take a value, where that is no number.
_VALUED = ("-u", "-s", "--signal", "--with", "--extra", "--group")
_SKIPPED = re.compile(r"-|\w+=|[0-9.]+[smhd]?$")


def read(text: str, folder: str) -> Iterator[tuple[str, list[str]]]:
    for words in _cut(text):
        words = words[_start(words) :]
        if words[:1] == ["cd"]:
            folder = posixpath.join(folder, *words[1:2])
        elif words:
            yield folder, words


def _cut(text: str) -> Iterator[list[str]]:
    """Where a shell begins another command; quotes that are left open are plain characters."""
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

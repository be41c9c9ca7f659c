"""The tests of one file: their names, their bodies, how much each asserts, what is skipped.

An agent wrote the file: lines, blocks and their number have limits, so that none takes for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from .languages import CLOSING, Language

_WIDEST, _MOST_TESTS = 500, 2_000
# How often a line may stand in tests that stand in each other.
_DEEPEST = 10
_GOES_ON = (":", "{", "do", "(", ",", "=>")


class Test(NamedTuple):
    """`body` without the name: two with the same one differ in nothing else."""

    name: str
    body: str
    assertions: int
    idle: bool = False


class Found(NamedTuple):
    """`outside` are the assertions that stand in no test, such as those of helpers.

    `classes` are those that are collected; a test in another one is idle. A module of tests that
    is a file of its own counts as one without a body; `modules` are those that stand here.
    """

    tests: list[Test]
    skips: Counter[str]
    outside: int
    classes: int = 0
    modules: frozenset[str] = frozenset()


NOTHING = Found([], Counter(), 0)


def read(text: str, language: Language) -> Found:
    lines = [line[:_WIDEST] for line in _living(text, language)]
    counts = [_assertions(line, language) for line in lines]
    classes, idle = _classes(lines, language)
    tests: list[Test] = []
    inside: set[int] = set()
    left = _DEEPEST * len(lines)
    for name, start in islice(_heads(lines, language), _MOST_TESTS):
        end = _end(lines, start, left)
        left -= end - start
        body = "\n".join(line.strip() for line in lines[start:end]).replace(name, "", 1)
        tests.append(Test(name, body, sum(counts[start:end]), start in idle))
        inside.update(range(start, end))
    files, modules = _modules(lines, language)
    tests += [Test(name, "", 0) for name in files]
    outside = sum(count for number, count in enumerate(counts) if number not in inside)
    return Found(tests, _skips(lines, language), outside, classes, modules)


def _living(text: str, language: Language) -> Iterator[str]:
    """Without comments, which switch code off, and texts over many lines, which are none."""
    opened, closing = "", ""
    for line in text.splitlines():
        if closing:
            rest = _behind(line, closing)
            if rest is None:
                continue
            # One line: how deep the rest stands says nothing.
            line = opened[:_WIDEST] + rest
        elif language.comment.match(line):
            continue
        opened, closing = _before_block(line, language)
        if not closing or closing.startswith("\n"):
            yield opened
            opened = ""
    yield opened


def _behind(line: str, closing: str) -> str | None:
    """None where the block goes on; one that ends with a line of its own has nothing behind it."""
    if closing.startswith("\n"):
        return "" if line.strip() == closing[1:] else None
    found = CLOSING[closing].search(line)
    return line[found.end() :] if found else None


def _before_block(line: str, language: Language) -> tuple[str, str]:
    """The line up to a block that it leaves open, and what closes that."""
    pieces: list[str] = []
    start = at = 0
    while match := language.blocks.search(line, at):
        at, opening = match.end(), match.lastgroup
        if not opening:
            continue
        if opening not in CLOSING:
            return line, "\n" + match[opening]
        end = CLOSING[opening].search(line, at)
        if not end:
            return "".join([*pieces, line[start : match.start()]]), opening
        at = end.end()
        if match[opening] != "`":
            pieces.append(line[start : match.start()])
            start = at
    return "".join([*pieces, line[start:]]), ""


def _heads(lines: list[str], language: Language) -> Iterator[tuple[str, int]]:
    marked = False
    for number, line in enumerate(lines):
        marked = marked or bool(language.mark and language.mark.search(line))
        if line.endswith("("):
            line += "".join(lines[number + 1 : number + 2]).strip()
        head = language.test.search(line) if language.test else None
        if marked and language.marked and not head:
            head = language.marked.search(line)
        if head:
            marked = False
            names = [value for key, value in head.groupdict().items() if "quote" not in key]
            yield next((name for name in names if name), ""), number


def _modules(lines: list[str], language: Language) -> tuple[list[str], frozenset[str]]:
    heads = [language.module.match(line) for line in lines] if language.module else []
    found = [(" ".join(head["name"].split()), head["end"]) for head in heads if head]
    files = [name for name, end in found if end == ";"]
    return files[:_MOST_TESTS], frozenset(name for name, end in found if end != ";")


def _classes(lines: list[str], language: Language) -> tuple[int, set[int]]:
    """How many are collected, and which lines stand in one that is not."""
    collected, depth, idle = 0, -1, set()
    for number, line in enumerate(lines):
        if line.strip() and _depth(line) <= depth:
            depth = -1
        if language.idle and language.idle.match(line):
            depth = _depth(line)
        elif language.group and language.group.match(line):
            collected += 1
        if depth >= 0:
            idle.add(number)
    return collected, idle


def _end(lines: list[str], start: int, most: int) -> int:
    """The line behind a block: the first that stands no deeper, unless it opens or closes."""
    depth, last = _depth(lines[start]), min(len(lines), start + most)
    for number in range(start + 1, last):
        line = lines[number].strip()
        if not line or _depth(lines[number]) > depth:
            continue
        if line[0] not in ")]}{" and line.split()[0] != "end":
            return number
        if not line.endswith(_GOES_ON):
            return number + 1
    return last


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _assertions(line: str, language: Language) -> int:
    found = sum(1 for _ in language.assertion.finditer(line))
    return max(0, found - sum(1 for _ in language.vacuous.finditer(line))) if found else 0


def _skips(lines: list[str], language: Language) -> Counter[str]:
    """By the word that skips, which is ours; what else stands there is the agent's."""
    return Counter(
        match[0].strip(" \t@#[(,:")[:40] for line in lines for match in language.skip.finditer(line)
    )

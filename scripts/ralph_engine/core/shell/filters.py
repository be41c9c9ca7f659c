"""sort, head, grep: programs that print lines which they are given, or some of these."""

from __future__ import annotations

import os

from .values import UNKNOWN, Feed, known

_AFTER_A_PATTERN = ("grep", "egrep", "fgrep")
_CHOOSES_NOTHING = ("sort", "uniq")
NAMES = frozenset(("head", "tail", *_AFTER_A_PATTERN, *_CHOOSES_NOTHING))
_CUTS = ("--only", "--count", "--bytes")


def lines(words: list[str], name: str, given: str) -> str:
    """Not known where they print no whole lines; others, too, where they may name a file."""
    if not given or any(map(_cuts, words[1:])):
        return UNKNOWN
    chosen = given if name in _CHOOSES_NOTHING else "\n".join(map(_part_of, given.split("\n")))
    # An option's value looks like a file: which of them have one is theirs to know.
    operands = [word for word in words[1:] if not word.startswith(("-", "+"))]
    may_name_file = len(operands) > (name in _AFTER_A_PATTERN)
    return f"{chosen}\n{UNKNOWN}" if may_name_file else chosen


def as_script(feed: Feed) -> str:
    """As paths it is all lines at once, but a script is another one without some of them."""
    return UNKNOWN if feed.programs & NAMES else feed.text


def _cuts(word: str) -> bool:
    if word.startswith("--"):
        return word.startswith(_CUTS)
    return word.startswith("-") and ("o" in word or "c" in word)


def _part_of(line: str) -> str:
    """Where a whole folder is meant, whoever chooses means something in it."""
    folder, name = os.path.split(line.rstrip("/"))
    if name == "*":
        return os.path.join(folder, UNKNOWN)
    is_folder = name in (".", "..") or (line.startswith("/") and known(line))
    return f"{line}/{UNKNOWN}" if is_folder else line

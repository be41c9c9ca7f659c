"""sort, head, grep: programs that print lines which they are given, or some of these."""

from __future__ import annotations

import os

from .values import UNKNOWN, Feed, known
from .wrappers import inner, wrapper

# Their options with a value; for grep the pattern stands before the files.
_KINDS = {
    "sort": wrapper("-k -t -S -T --key --field-separator", assigns=False),
    "uniq": wrapper("-f -s -w", assigns=False),
    **dict.fromkeys(("head", "tail"), wrapper("-n --lines", assigns=False)),
    **dict.fromkeys(("grep", "egrep", "fgrep"), wrapper("-A -B -C -m", 1, assigns=False)),
}
NAMES = frozenset(_KINDS)
_CHOOSES_NOTHING = ("sort", "uniq")
_CUTS = ("--only", "--count", "--bytes")


def lines(words: list[str], name: str, given: str) -> str:
    """Not known where they name a file, or print no whole lines."""
    rest, _ = inner(_KINDS[name], 1, words)
    names_file = any(not word.startswith("-") for word in rest)
    if not given or names_file or any(map(_cuts, words[1:])):
        return UNKNOWN
    if name in _CHOOSES_NOTHING:
        return given
    return "\n".join(map(_part_of, given.split("\n")))


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

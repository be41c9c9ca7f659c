"""How many columns of a terminal a text takes, and tabs that lead to one."""

from __future__ import annotations

import unicodedata

_TAB = 4


def width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_of, text))


def untabbed(text: str) -> str:
    """str.expandtabs counts characters, and some take two columns or none."""
    *parts, last = text.split("\t")
    done, column = [], 0
    for part in parts:
        column += width(part)
        gap = _TAB - column % _TAB
        column += gap
        done.append(part + " " * gap)
    return "".join([*done, last])


def _of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

"""Text that cannot command a terminal, whoever wrote it."""

from __future__ import annotations

import unicodedata

_WIDE_BLANK = "\u3000"


def harmless(text: str) -> str:
    """Control characters and half surrogate pairs become visible escapes; lines stay lines.

    Blanks of every width become plain ones.
    """
    return "".join(c if c == "\n" or c.isprintable() else _escape(c) for c in text)


def one_line(text: str) -> str:
    return harmless(text).replace("\n", "\\n")


def _escape(character: str) -> str:
    if unicodedata.category(character) == "Zs":
        return "  " if character == _WIDE_BLANK else " "
    return character.encode("unicode_escape").decode("ascii")

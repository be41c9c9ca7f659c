"""Text that cannot command a terminal, whoever wrote it."""

from __future__ import annotations


def harmless(text: str) -> str:
    """Control characters and half surrogate pairs become visible escapes; lines stay lines."""
    return "".join(c if c == "\n" or c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

"""The way into a text: all commands that it would run, as far as anyone can tell without it."""

from __future__ import annotations

from . import parsing, walk, words
from .state import Shared, Shell
from .values import TooMuch, cleaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


MOST_PARSES = 12
_LONGEST = 2000


def follow(
    text: str, root: str, cwd: str, environment: Mapping[str, str], shfmt: str
) -> tuple[Shared, bool]:
    """What was found, and whether that is all of it."""
    shared = Shared(root, environment, shfmt)
    shell = Shell(shared, cwd)
    text = cleaned(text)
    try:
        nodes = parsing.statements(shared, text)
        if nodes is None:
            piece_by_piece(shell, cut(text) if shfmt else text.split("\n"))
            return shared, False
        walk.statements(shell, nodes, None)
    except (TooMuch, RecursionError):
        shell.is_feeding("too-long", text)
        return shared, False
    return shared, True


def piece_by_piece(shell: Shell, pieces: list[str]) -> None:
    """bash would run what stands before the point where it can read no more."""
    for piece in pieces:
        rest = piece.split()
        while rest and rest[0] in words.RESERVED:
            piece = piece.lstrip()[len(rest.pop(0)) :]
        # The parser is for the few pieces that need it, not for a flood of them.
        careful = shell.budget.parses < MOST_PARSES and len(piece) < _LONGEST
        nodes = parsing.statements(shell.shared, piece) if careful else words.parse(piece)
        if nodes:
            walk.statements(shell, nodes, None)


def cut(text: str) -> list[str]:
    """Wherever a command may begin; without a letter there is none."""
    found, start, at, quote = [], 0, 0, ""
    while at < len(text):
        letter = text[at]
        if letter == "\\" and quote != "'":
            at += 1
        elif letter == quote:
            quote = ""
        elif not quote and letter in "'\"":
            quote = letter
        elif letter in ("`(" if quote == '"' else "" if quote else "\n;&|()`"):
            found.append(text[start:at])
            start = at + 1
        at += 1
    found.append(text[start:])
    return [piece for piece in found if any(map(str.isalpha, piece))]

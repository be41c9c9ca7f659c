"""The way into a text: all commands that it would run, as far as anyone can tell without it."""

from __future__ import annotations

from . import parsing, walk, words
from .state import Shared, Shell
from .values import TooMuch, cleaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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
            _simple_lines(shell, text)
            return shared, False
        walk.statements(shell, nodes, None)
    except (TooMuch, RecursionError):
        shell.is_feeding("too-long", text)
        return shared, False
    return shared, True


def _simple_lines(shell: Shell, text: str) -> None:
    """bash would run the lines before the one that it cannot read."""
    for line in text.split("\n"):
        nodes = words.parse(line)
        if nodes:
            walk.statements(shell, nodes, None)

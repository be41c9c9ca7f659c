"""A rule of the guard: when it denies, why, what to do instead, and examples of both."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, NamedTuple

    from ..place import Place
    from ..shell.values import Command

    class Rule(NamedTuple):
        """`denied` and `allowed` are whole command lines, which the tests judge."""

        name: str
        reason: str
        instead: str
        matches: Callable[[Command, Place], bool]
        denied: tuple[str, ...]
        allowed: tuple[str, ...]
else:
    Rule = namedtuple("Rule", "name reason instead matches denied allowed")


def never(_: Command, __: Place) -> bool:
    """For what is found on the way through a script, not in a single command."""
    return False

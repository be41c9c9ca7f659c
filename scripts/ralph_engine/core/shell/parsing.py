"""A text as statements: by our own reader where it is simple, else by shfmt."""

from __future__ import annotations

from . import shfmt, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shared
    from .values import Node

_MOST_OPEN = 8


def statements(shared: Shared, text: str) -> list[Node] | None:
    shared.budget.step(1 + len(text) // 64)
    found = words.parse(text)
    if found is not None:
        return found
    shared.budget.parse(text)
    found = _asked(shared, text)
    if found is None and shared.shfmt:
        forgiven = _forgiven(text)
        found = _asked(shared, forgiven) if forgiven != text else None
    return found


def _asked(shared: Shared, text: str) -> list[Node] | None:
    try:
        return shfmt.parse(shared.shfmt, text)
    except shfmt.Stuck:
        shared.shfmt = ""
        return None


def _forgiven(text: str) -> str:
    """What bash puts up with and shfmt does not."""
    # What is no arithmetic is two subshells.
    while "((" in text:
        text = text.replace("((", "( (")
    # A here-document may end with the text.
    ends = [_delimiter(part) for part in text.split("<<")[1:]]
    return "\n".join([text, *[end for end in ends if end][-_MOST_OPEN:]])


def _delimiter(text: str) -> str:
    words = text.lstrip("-").split(None, 1)
    first = words[0] if words else ""
    for mark in "'\"\\":
        first = first.replace(mark, "")
    return first.split(";")[0].split("|")[0].split("&")[0].split(")")[0].split(">")[0]

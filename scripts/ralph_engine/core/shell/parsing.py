"""A text as statements: by our own reader where it is simple, else by shfmt."""

from __future__ import annotations

from . import shfmt, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Shared
    from .values import Node


def statements(shared: Shared, text: str) -> list[Node] | None:
    shared.budget.step(1 + len(text) // 64)
    found = words.parse(text)
    if found is not None:
        return found
    shared.budget.parse(text)
    found = shfmt.parse(shared.shfmt, text)
    if found is None and "((" in text:
        # bash takes what is no arithmetic for two subshells.
        while "((" in text:
            text = text.replace("((", "( (")
        return shfmt.parse(shared.shfmt, text)
    return found

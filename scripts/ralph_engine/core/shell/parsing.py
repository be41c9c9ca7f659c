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
    return shfmt.parse(shared.shfmt, text)

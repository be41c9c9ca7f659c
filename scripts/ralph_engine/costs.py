"""What an attempt is charged, and how the sum is told: pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Charge(NamedTuple):
    usd: float
    estimated: bool


def charge(reported: float | None, highest: float) -> Charge:
    """Without a figure the dearest attempt of the run so far: a budget may not be overrun."""
    return Charge(highest, True) if reported is None else Charge(reported, False)


def sentence(usd: float, estimated: bool, silent: Sequence[str] = ()) -> str:
    """`silent` are the agents that tell no cost: theirs is not in it."""
    beside = f" (without {', '.join(silent)}: no cost is told)" if silent else ""
    return f"cost: {'~' if estimated else ''}${usd:.2f}{beside}"

"""What an attempt is charged, and how the sum is told: pure."""

from __future__ import annotations

from typing import NamedTuple


class Charge(NamedTuple):
    usd: float
    estimated: bool


def charge(reported: float | None, highest: float) -> Charge:
    """Without a figure the dearest attempt of the run so far: a budget may not be overrun."""
    return Charge(highest, True) if reported is None else Charge(reported, False)


def sentence(usd: float, estimated: bool) -> str:
    return f"cost: {'~' if estimated else ''}${usd:.2f}"

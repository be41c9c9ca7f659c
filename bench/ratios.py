"""Interleaved timings in one run, told as ratios: what a shared machine can measure."""

from __future__ import annotations

import statistics
import sys
import time
from typing import Callable

Act = Callable[[], object]
# Fewer rounds only show that the measurement works.
FEWEST = 10


def rounds(usual: int) -> int:
    """The first argument, or as many as the aims were set with."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else usual


def measure(acts: dict[str, Act], rounds: int) -> dict[str, list[float]]:
    """Every act once per round, so that a slow moment of the machine hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in acts}
    for act in acts.values():
        act()
    for _ in range(rounds):
        for name, act in acts.items():
            start = time.perf_counter()
            act()
            times[name].append(time.perf_counter() - start)
    return times


def tell(times: dict[str, list[float]], name: str, base: str, limit: float) -> bool:
    """One line: ratio of the medians, spread, aim; False where it is judged and missed."""
    few = len(times[name]) < FEWEST
    median, reference = statistics.median(times[name]), statistics.median(times[base])
    low, high = _quartiles(times[name])
    ratio = median / reference
    print(
        f"{name:42} {ratio:5.2f} x {base} (aim <= {limit:g}; median {median * 1000:.1f} ms, "
        f"quartiles {low * 1000:.1f}-{high * 1000:.1f}, N {len(times[name])}"
        f"{', too few to judge' if few else ''})"
    )
    return few or ratio <= limit


def _quartiles(values: list[float]) -> tuple[float, float]:
    low, _, high = statistics.quantiles(values, n=4)
    return low, high

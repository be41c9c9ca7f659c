"""What the runner noticed in the commits that a reviewer judges, as text for him."""

from __future__ import annotations

from collections.abc import Sequence


def of(seen: str, found: Sequence[str], most: int, asked: str) -> list[str]:
    """Empty where nothing was found."""
    lines = [f"- {line}" for line in found[:most]]
    lines += [f"- and {len(found) - most} more"] if len(found) > most else []
    return ["\n".join([seen, *lines, asked])] if found else []

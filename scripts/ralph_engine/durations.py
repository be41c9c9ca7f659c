"""Lengths of time as people write them: 90s, 15m, 8h."""

from __future__ import annotations

import re

from .core.shape import shown
from .failure import Failure

ACCEPTED = "a duration such as 90s, 15m or 8h"
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: str, where: str) -> float:
    found = re.fullmatch("([0-9]{1,6})([smh])", text)
    if not found:
        raise Failure(f"{where} is {shown(text)}; give {ACCEPTED}")
    return int(found[1]) * _SECONDS[found[2]]

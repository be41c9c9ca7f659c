"""Points in time as the files hold them: UTC, to the second."""

from __future__ import annotations

import time


def text(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def seconds(point: str) -> float | None:
    """None where the text is no point in time."""
    from datetime import datetime, timezone

    digits = point[:4], point[5:7], point[8:10], point[11:13], point[14:16], point[17:19]
    try:
        moment = datetime(*(int(part) for part in digits), tzinfo=timezone.utc)  # type: ignore[misc,arg-type]
        return moment.timestamp() if text(moment.timestamp()) == point else None
    except (ValueError, OverflowError, OSError):
        return None

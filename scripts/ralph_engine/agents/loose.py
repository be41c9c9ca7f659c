"""Values of a JSON document that nobody has checked: the wanted type, or nothing."""

from __future__ import annotations

import json
import math
from typing import Any

_decode = json.JSONDecoder().raw_decode


def parse(line: bytes) -> dict[str, Any] | None:
    try:
        decoded = line.decode("utf-8")
        # json.loads looks for blanks at both ends, which costs as much as a short line itself.
        value, end = _decode(decoded)
        value = value if end == len(decoded) else json.loads(decoded)
    except (ValueError, RecursionError):
        value = _repaired(line)
    return value if type(value) is dict else None


def parse_array(line: bytes) -> list[dict[str, Any]]:
    """The objects of a line that is a whole list of them."""
    if not line.lstrip().startswith(b"[{"):
        return []
    try:
        return objects(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return []


def _repaired(line: bytes) -> Any:
    """Despite NUL and broken UTF-8, and behind a warning that did not end its own line."""
    text = line.replace(b"\0", b"").decode("utf-8", "replace")
    start = text.find('{"')
    try:
        return json.loads(text[start:], strict=False) if start >= 0 else None
    except (ValueError, RecursionError):
        return None


def text(value: Any) -> str:
    return value if type(value) is str else ""


def fields(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if type(entry) is dict] if type(value) is list else []


def count(value: Any) -> int | None:
    return value if type(value) is int and abs(value) < 2**53 else None


def number(value: Any) -> float | None:
    """Finite; JSON's true and false are no numbers."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    whole = count(value)
    return None if whole is None else float(whole)

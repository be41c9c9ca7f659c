"""JSON that means one thing only: UTF-8 without BOM, no repeated keys, finite numbers."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NotJson(Exception):
    """The text is not strict JSON; the message says where and what to do."""


def parse(data: bytes) -> Any:
    if data.startswith(b"\xef\xbb\xbf"):
        raise NotJson("starts with a byte order mark; save it as UTF-8 without BOM")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise NotJson(f"is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except RecursionError as error:
        raise NotJson("is nested too deeply; flatten it") from error
    except ValueError as error:
        raise NotJson(f"is not valid JSON ({error}); repair it") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        name = _first_repeated([name for name, _ in pairs])
        raise NotJson(f"has the key {json.dumps(name[:60])} twice in one object; keep one of them")
    return result


def _first_repeated(names: list[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            break
        seen.add(name)
    return name


def _refuse_constant(name: str) -> None:
    raise NotJson(f"contains {name}, which is not JSON; write a finite number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NotJson(f"contains {text[:40]}, which is too large; write a finite number")
    return number

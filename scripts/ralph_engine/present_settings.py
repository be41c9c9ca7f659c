"""The settings files of a project as they are, for a person to look at."""

from __future__ import annotations

import json
from typing import Any

from .config import hidden
from .core import files, paths, strict_json
from .core.shape import shown
from .failure import Failure
from .settings import SIZE_LIMIT

_SHARED, _LOCAL = paths.SETTINGS


def lines(root: str) -> list[str]:
    """Both files as one and their names; or why one of them cannot be read."""
    try:
        text = json.dumps(hidden(whole(root)), indent=2, ensure_ascii=False)
    except Failure as unreadable:
        return [str(unreadable)]
    overlay = f" (with local overlay from {_LOCAL.rpartition('/')[2]})"
    return [text, f"Loaded from {_SHARED}{overlay if _LOCAL in _there(root) else ''}"]


def whole(root: str) -> dict[str, Any]:
    """Both files as one; a Failure names the one that cannot be read."""
    found: dict[str, Any] = {}
    for path in _there(root):
        found = merged(found, _object(root, path))
    return found


def _there(root: str) -> list[str]:
    return [path for path in paths.SETTINGS if files.kind(root, path) != "absent"]


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Objects merge, all else replaces."""
    both = {k: merged(base[k], v) for k, v in over.items() if _are_objects(base.get(k), v)}
    return {**base, **over, **both}


def _object(root: str, path: str) -> dict[str, Any]:
    try:
        found = strict_json.parse(files.read_bytes(root, path, SIZE_LIMIT))
    except files.FileFault as fault:
        raise Failure(str(fault)) from fault
    except strict_json.NotJson as error:
        raise Failure(f"{path} {error}") from error
    if not isinstance(found, dict):
        raise Failure(f"{path} is {shown(found)}; make it an object")
    return found


def _are_objects(*values: object) -> bool:
    return all(isinstance(value, dict) for value in values)

"""A new name for a feature that nobody has planned yet."""

from __future__ import annotations

from . import check, starter
from .core import files, paths
from .core.tasks import SIZE_LIMIT
from .fresh_files import NAMES, is_fresh


def of(root: str, name: str | None) -> dict[str, str]:
    """What the files of the templates hold under it; nothing where the list is somebody's."""
    document, _ = check.read(root, paths.tasks(paths.DEFAULT_RALPH_DIR))
    if name is None or document is None or not starter.untouched_list(document):
        return {}
    found = {}
    for file in NAMES:
        path = f"{paths.DEFAULT_RALPH_DIR}/{file}"
        old = _fresh(root, path, file)
        new = starter.renamed(file, old, document, name)
        if new != old:
            found[path] = new
    return found


def _fresh(root: str, path: str, file: str) -> str:
    """'' where somebody wrote in it, or it is not there."""
    try:
        data = files.read_bytes(root, path, SIZE_LIMIT)
    except files.FileFault:
        return ""
    return data.decode("utf-8", "replace") if is_fresh(file, data) else ""

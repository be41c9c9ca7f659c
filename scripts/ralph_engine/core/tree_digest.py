"""A short word for all files of a project, to tell whether anything changed in between."""

from __future__ import annotations

import os
from hashlib import sha256

from . import clean_tree, fingerprint, paths

_MOST = 20_000


def of(root: str) -> str:
    """'' where there is too much to look at: then nothing is said to be the same."""
    tree = clean_tree.look(root, paths.DEFAULT_RALPH_DIR, {})
    return _by_git(root, tree.uncommitted) if tree.known else _by_walk(root)


def _by_git(root: str, changed: list[str]) -> str:
    if len(changed) > _MOST:
        return ""
    total = sha256(clean_tree.git(root, "rev-parse", "HEAD").output)
    for path in changed:
        total.update(_line(path, fingerprint.of(root, path)))
    return total.hexdigest()


def _by_walk(root: str) -> str:
    total, count = sha256(), 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name != paths.DOT_FOLDER)
        for name in sorted(files):
            count += 1
            if count > _MOST:
                return ""
            path = os.path.join(folder, name)
            total.update(_line(path, _times(path)))
    return total.hexdigest()


def _times(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return fingerprint.ABSENT
    return f"{status.st_size} {status.st_mtime_ns}"


def _line(path: str, word: str) -> bytes:
    return f"{path}\0{word}\0".encode("utf-8", "surrogateescape")

"""A digest of everything an agent may have changed, to tell work from talk."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from . import git
from .core import fingerprint, paths

_MOST = 50_000


def of(root: str) -> str:
    """'' where there is no git and too much to look at: progress is then not judged."""
    head = git.ask(root, "rev-parse", "--git-dir")
    return _with_git(root) if head.code == 0 else _without_git(root)


def _with_git(root: str) -> str:
    total = hashlib.sha256(git.head(root).encode())
    difference = ("diff", "--no-ext-diff", "--no-textconv", "--binary", "HEAD")
    total.update(git.ask(root, *difference).output)
    names = git.ask(root, "ls-files", "--others", "--exclude-standard", "-z").output
    for name in names.decode("utf-8", "surrogateescape").split("\0"):
        if name and not _ours(name):
            total.update(
                f"{name}\0{fingerprint.of(root, name)}\0".encode("utf-8", "surrogateescape")
            )
    return total.hexdigest()


def _without_git(root: str) -> str:
    total, count = hashlib.sha256(), 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if n != paths.DOT_FOLDER or folder != root)
        for name in sorted(files):
            count += 1
            if count > _MOST:
                return ""
            total.update(_line(Path(folder) / name))
    return total.hexdigest()


def _line(path: Path) -> bytes:
    try:
        status = path.lstat()
    except OSError:
        return b""
    return os.fsencode(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0")


def _ours(name: str) -> bool:
    return name == paths.MARKER or name.startswith(paths.DOT_FOLDER + "/")

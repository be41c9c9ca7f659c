"""Keeps the loop's own files out of `git add -A`, in a file that is nobody's to commit."""

from __future__ import annotations

import os

from . import git
from .core import files, paths


def ensure(root: str, ralph_dir: str) -> None:
    wanted = [paths.MARKER, *paths.signals(ralph_dir)]
    missing = [f"/{path}" for path in wanted if not git.is_ignored(root, path)]
    answer = git.ask(root, "rev-parse", "--git-path", "info/exclude")
    if not missing or answer.code:
        return
    info, name = os.path.split(os.path.join(root, answer.text))
    folder, base = os.path.split(info)
    lines = "".join(f"{line}\n" for line in missing)
    files.append(folder, f"{base}/{name}", f"\n{lines}".encode("utf-8", "surrogateescape"))

"""Keeps the loop's own files out of `git add -A`, in a file that is nobody's to commit."""

from __future__ import annotations

from pathlib import Path

from . import git
from .core import paths


def ensure(root: str, ralph_dir: str) -> None:
    wanted = [paths.MARKER, *paths.signals(ralph_dir)]
    missing = [f"/{path}" for path in wanted if not git.is_ignored(root, path)]
    answer = git.ask(root, "rev-parse", "--git-path", "info/exclude")
    if not missing or answer.code:
        return
    exclude = Path(root, answer.text)
    text = exclude.read_text(errors="surrogateescape") if exclude.is_file() else ""
    exclude.parent.mkdir(exist_ok=True)
    with exclude.open("a", errors="surrogateescape") as file:
        file.write(("" if not text or text.endswith("\n") else "\n") + "\n".join(missing) + "\n")

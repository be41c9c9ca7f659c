"""Forgets all but the newest runs: their journals, copies and pinned commits, never the ledger."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from . import git
from .core import files, paths

KEPT = 20
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


def forget(root: str, state: Path) -> None:
    for name in _surplus(state / "runs"):
        shutil.rmtree(state / "runs" / name, ignore_errors=True)
        for ref in git.ask(root, "for-each-ref", "--format=%(refname)", f"refs/ralph/{name}").lines:
            git.ask(root, "update-ref", "-d", ref)
    copies = f"{paths.DOT_FOLDER}/runs"
    # A link in its place leads to what is not ours to delete.
    if files.kind(root, copies) == "folder":
        for name in _surplus(Path(root) / copies):
            shutil.rmtree(Path(root) / copies / name, ignore_errors=True)


def _surplus(folder: Path) -> list[str]:
    """By name, which begins with the time of the start; what we did not name is not ours."""
    names = [path.name for path in folder.glob("*") if _RUN_ID.fullmatch(path.name)]
    return sorted(names)[:-KEPT]

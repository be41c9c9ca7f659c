"""Every write of the runner to the task list: saved, written, committed alone, recorded."""

from __future__ import annotations

import json

from . import git
from .core import files, paths
from .core.tasks import Document
from .harmless import harmless


def text_of(document: Document) -> bytes:
    try:
        return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        # Half a surrogate pair is JSON only as an escape: its bytes would be no UTF-8.
        return json.dumps(document, indent=2).encode("ascii") + b"\n"


def write(root: str, ralph_dir: str, data: bytes, message: str) -> str:
    """'' where it is committed, else why it is not."""
    path = paths.tasks(ralph_dir)
    files.restore_bytes(root, path, data)
    return commit(root, [path], message)


def commit(root: str, names: list[str], message: str) -> str:
    if git.unfinished(root):
        return f"left uncommitted: git is in the middle of something ({git.unfinished(root)})"
    left_out = [name for name in names if not git.is_tracked(root, name)]
    if left_out:
        return f"left uncommitted: {', '.join(left_out)} is not tracked by git"
    answer = git.commit_only(root, names, harmless(message))
    if answer.code == 0 or not git.ask(root, "status", "--porcelain", "--", *names).text:
        return ""
    return f"left uncommitted: {answer.error or 'git commit failed'}"

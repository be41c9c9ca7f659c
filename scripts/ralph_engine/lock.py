"""One loop per folder: an OS lock, which a killed runner loses by itself."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from . import state_folder
from .failure import Failure


@contextmanager
def held(path: Path, run_id: str) -> Iterator[None]:
    state_folder.make(path.parent)
    lock = FileLock(str(path), timeout=0)
    owner = path.with_suffix(".owner")
    try:
        lock.acquire()
    except Timeout as error:
        raise Failure(f"another loop runs in this folder ({_words(owner)})", _HINT) from error
    try:
        owner.write_text(json.dumps(_me(run_id)), encoding="utf-8")
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


_HINT = "`ralph.sh status` tells more; for a second feature use a git worktree"


def _me(run_id: str) -> dict[str, object]:
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    return {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "run": run_id}


def owner(path: Path) -> dict[str, Any] | None:
    """Who holds the lock now; None where nobody does."""
    lock = FileLock(str(path), timeout=0)
    try:
        if path.exists():
            with lock:
                return None
    except Timeout:
        return _read(path.with_suffix(".owner")) or {"pid": "?", "host": "?", "since": "just now"}
    return None


def _words(owner: Path) -> str:
    known = _read(owner)
    if known is None:
        return "it is just starting"
    return f"pid {known['pid']} on {known['host']}, since {known['since']}"


def _read(owner: Path) -> dict[str, Any] | None:
    try:
        known = json.loads(owner.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return known if isinstance(known, dict) and {"pid", "host", "since"} <= known.keys() else None

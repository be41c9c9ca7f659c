"""Finds and ends what a program left running: sessions of its own are no hiding place."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_DEADLINE = 10.0


def adopt_orphans() -> None:
    """Linux: whatever our children leave behind becomes our child, not init's."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def sweep(mark: str, older: Collection[int] | None = None) -> list[int]:
    """Kills all processes below us that carry the mark; returns those that would not go.

    With `older`, those that were there before, also all others: an environment can be shed.
    """
    deadline = time.monotonic() + _DEADLINE
    left = _left_over(mark, older)
    while left and time.monotonic() < deadline:
        for pid in left:
            _kill(pid)
        _collect(left)
        left = _left_over(mark, older)
    return left


def _left_over(mark: str, older: Collection[int] | None) -> list[int]:
    return [
        pid
        for pid in below_us()
        if older is not None and pid not in older or mark.encode() in _environment(pid).split(b"\0")
    ]


def below_us() -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in _parents().items():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    queue = [os.getpid()]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _parents() -> dict[int, int]:
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            found[int(folder.name)] = int(fields[1])
    return found


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _collect(pids: list[int]) -> None:
    """Adopted orphans are ours to wait for, or they stay as zombies."""
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            continue
    time.sleep(0.01)

"""The processes of a Linux machine, read from /proc."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from .process_tree import Process

_TICKS = os.sysconf("SC_CLK_TCK")


def rows() -> list[Process]:
    found = (_row(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [row for row in found if row]


def same(one: Process, other: Process) -> bool:
    return (one.pid, one.start) == (other.pid, other.start)


def still(known: Iterable[Process]) -> Iterator[Process]:
    """Those that live; each is looked at when its turn comes, right before its signal."""
    for process in known:
        now = _row(process.pid)
        if now and same(now, process) and not now.dead:
            yield now


def marked(mark: str) -> list[int]:
    """Those whose environment holds the NAME=value."""
    names = (name for name in os.listdir("/proc") if name.isdigit())
    return [int(name) for name in names if mark.encode() in _read(name, "environ").split(b"\0")]


def _row(pid: int) -> Process | None:
    # The name in brackets may itself hold brackets and blanks.
    fields = _read(str(pid), "stat").rpartition(b")")[2].split()
    try:
        user = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None
    if not fields:
        return None
    start, dead = int(fields[19]) / _TICKS, fields[0] in (b"Z", b"X")
    return Process(pid, int(fields[1]), int(fields[2]), user, start, dead)


def _read(name: str, file: str) -> bytes:
    try:
        with open(f"/proc/{name}/{file}", "rb") as opened:
            return opened.read()
    except OSError:
        return b""

"""Which processes belong together."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import NamedTuple


class Process(NamedTuple):
    """`start`, in seconds, tells it from a later process with the same number."""

    pid: int
    parent: int
    group: int
    user: int
    start: float
    dead: bool = False


def kin(rows: Iterable[Process], seeds: Iterable[int], spared: Container[int]) -> list[Process]:
    """The seeds, all below them, all in groups that these lead; nothing through the spared."""
    by_pid: dict[int, Process] = {}
    near: dict[int, list[int]] = {}
    for row in rows:
        by_pid[row.pid] = row
        near.setdefault(row.parent, []).append(row.pid)
        near.setdefault(row.group, []).append(row.pid)
    found: dict[int, Process] = {}
    queue = list(seeds)
    while queue:
        pid = queue.pop()
        if pid in by_pid and pid not in found and pid not in spared:
            found[pid] = by_pid[pid]
            queue += near.get(pid, [])
    return list(found.values())


def line_of(rows: Iterable[Process], pid: int) -> set[int]:
    """A process and all that it descends from."""
    parents = {row.pid: row.parent for row in rows}
    found: set[int] = set()
    while pid and pid not in found:
        found.add(pid)
        pid = parents.get(pid, 0)
    return found

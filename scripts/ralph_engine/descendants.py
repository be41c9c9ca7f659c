"""Finds and ends what a program left running: sessions of its own are no hiding place."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from . import proc_table, ps_table
from .process_tree import Process, kin, line_of

_PR_SET_CHILD_SUBREAPER = 36
_DEADLINE = 5.0
_GRACE = 2.0
_PAUSE = 0.02
_FIRST_LOOK, _LOOKS = 0.05, 1.0


class Table(Protocol):
    """What lists processes."""

    def rows(self) -> list[Process]: ...

    def same(self, one: Process, other: Process) -> bool: ...

    def still(self, known: Iterable[Process]) -> Iterator[Process]: ...

    def marked(self, mark: str) -> list[int]: ...


# Only Linux has both /proc and the adoption of orphans.
table: Table = proc_table if sys.platform == "linux" else ps_table


def adopt_orphans() -> None:
    """Linux: whatever our children leave behind becomes our child, not init's."""
    if table is proc_table:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Watch:
    """Follows one program's descendants, which stay known when their parents die.

    An environment can be shed, and a parent can die between two looks: each of the two ways
    to know a process, its descent and its mark, finds what the other misses.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._before = _below_us(table.rows())
        self._known: list[Process] = []
        self._leader = 0
        self._next, self._interval = 0.0, _FIRST_LOOK

    def follow(self, leader: int) -> None:
        """From its start on: a child of ours that leads a group of its own."""
        self._leader = leader

    def look(self) -> None:
        """Often at first, then every second."""
        if time.monotonic() >= self._next:
            self._learn(table.rows())
            self._interval = min(2 * self._interval, _LOOKS)
            self._next = time.monotonic() + self._interval

    def exited(self) -> None:
        """The leader is gone: its group is told by its number for the last time."""
        self._learn(table.rows())
        self._leader = 0

    def left(self) -> list[Process]:
        rows = table.rows()
        if not rows:
            # Nothing can be said; that is not the same as nothing being left.
            return self._known
        self._learn(rows)
        found = {process.pid: process for process in self._known + _marked(self._mark, rows)}
        return list(found.values())

    def sweep(self) -> list[int]:
        """Ends all that is left; returns what would not go."""
        return _end_all(self.left)

    def _learn(self, rows: list[Process]) -> None:
        if rows:
            ours = kin(rows, self._seeds(rows), self._spared(rows))
            self._known = [row for row in ours if not row.dead]
            _collect(row.pid for row in ours if row.dead and row.pid != self._leader)

    def _seeds(self, rows: list[Process]) -> list[int]:
        known = {process.pid: process for process in self._known}
        us = os.getpid()
        reused = any(row.pid == self._leader and row.parent != us for row in rows)
        leader = 0 if reused else self._leader
        return [
            row.pid
            for row in rows
            if row.parent == us
            or (leader and row.group == leader)
            or (row.pid in known and table.same(row, known[row.pid]))
        ]

    def _spared(self, rows: list[Process]) -> set[int]:
        before = {process.pid: process for process in self._before}
        old = {row.pid for row in rows if row.pid in before and table.same(row, before[row.pid])}
        return old | line_of(rows, os.getpid())


_current: Watch | None = None


def watch(mark: str) -> Watch:
    """`mark` is a NAME=value in the environment of the program that is started next."""
    global _current
    _current = Watch(mark)
    return _current


def forget(ended: Watch) -> None:
    global _current
    if _current is ended:
        _current = None


def leave_nothing(mark: str) -> list[int]:
    """Kills now all below us, what the watched program left, and all that carries the mark.

    Our own git is below us too: a watch that began now would spare it. Returns what would not go.
    """

    def find() -> list[Process]:
        rows = table.rows()
        known = _current.left() if _current else []
        found = {p.pid: p for p in [*known, *_below_us(rows), *_marked(mark, rows)]}
        return [process for process in found.values() if not process.dead]

    return _kill_all(find)


def kill_once(mark: str, all_below: bool) -> None:
    """For a signal's handler, which must not wait: what carries the mark, or all below us."""
    rows = table.rows()
    found = _below_us(rows) if all_below else []
    _signal([*found, *(_marked(mark, rows) if mark else [])], signal.SIGKILL)


def group_below(parent: int) -> int:
    """The group that a child of this process leads, where it is another than its parent's; or 0."""
    found = (row for row in table.rows() if row.parent == parent and not row.dead)
    return next((row.pid for row in found if row.group == row.pid), 0)


def end_marked(mark: str) -> list[int]:
    """Ends what carries the mark, whoever its parent is now; returns what would not go."""

    def find() -> list[Process]:
        return _marked(mark, table.rows())

    return _end_all(find)


def _end_all(find: Callable[[], list[Process]]) -> list[int]:
    """A server that is told to end takes its lock files with it; who does not heed is killed."""
    left = find()
    _signal(left, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while left and time.monotonic() < deadline:
        time.sleep(_PAUSE)
        left = find()
    return _kill_all(find) if left else []


def _kill_all(find: Callable[[], list[Process]]) -> list[int]:
    deadline = time.monotonic() + _DEADLINE
    left = find()
    while left and time.monotonic() < deadline:
        _signal(left, signal.SIGKILL)
        time.sleep(_PAUSE)
        left = find()
    return sorted(process.pid for process in left)


def _marked(mark: str, rows: list[Process]) -> list[Process]:
    """Of this user, with all below them; never ourselves or what we descend from."""
    if not mark.partition("=")[2]:
        # Nothing is in everyone's environment.
        return []
    mine = {row.pid for row in rows if row.user == os.geteuid()}
    seeds = [pid for pid in table.marked(mark) if pid in mine]
    found = kin(rows, seeds, line_of(rows, os.getpid()))
    return [process for process in found if not process.dead]


def _below_us(rows: list[Process]) -> list[Process]:
    us = os.getpid()
    return kin(rows, [row.pid for row in rows if row.parent == us], line_of(rows, us))


def _signal(known: Iterable[Process], number: int) -> None:
    for process in table.still(known):
        try:
            os.kill(process.pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _collect(pids: Iterable[int]) -> None:
    """Adopted orphans are ours to wait for, or they stay as zombies."""
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            continue

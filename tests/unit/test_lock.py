"""Looking at the lock of a folder, and what a failure of the system leaves open."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import lock
from ralph_engine.failure import Failure


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "locks" / "x.lock"
    with lock.held(made):
        pass
    return made


def test_two_who_look_do_not_see_each_other(path: Path) -> None:
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        assert lock.owner(path) is None


def test_who_holds_it_is_seen(path: Path) -> None:
    with lock.held(path):
        found = lock.owner(path)
    assert found is not None and found["pid"] == os.getpid()


def test_who_looks_makes_no_lock(tmp_path: Path) -> None:
    assert lock.owner(tmp_path / "x.lock") is None
    assert list(tmp_path.iterdir()) == []


def test_no_pipe_in_the_locks_place_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.lock")
    assert lock.owner(tmp_path / "x.lock") is None


@pytest.mark.parametrize("use", [lock.owner, lambda path: lock.held(path).__enter__()])
def test_a_system_that_gives_no_locks_is_told_and_nothing_stays_open(
    path: Path, monkeypatch: pytest.MonkeyPatch, use: Any
) -> None:
    opened: list[int] = []

    def without_locks(fd: int, _: int) -> None:
        opened.append(fd)
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without_locks)
    with pytest.raises(Failure, match="cannot be taken .No locks available"):
        use(path)
    [fd] = opened
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)

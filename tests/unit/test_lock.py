"""The lock of a folder where the system fails."""

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

"""The n-th write fails: a clear error, the old state intact, and the run can go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault import faulty_run
from runner.live_loop import verb

SLICES, EVERY = 3, 9
FAULTS = {
    "ENOSPC": "No space left on device",
    "EIO": "Input/output error",
    "EROFS": "Read-only file system",
}


@pytest.mark.parametrize("part", range(SLICES))
def test_a_write_that_fails_loses_nothing(tmp_path: Path, part: int) -> None:
    """Every ninth operation with one of the faults, in turn; bench/faults.py has them all."""
    most = faulty_run.operations(tmp_path / "counted", "EIO", "-n", "1")
    assert most > 60
    for number in range(1 + EVERY * part, most + 1, EVERY * SLICES):
        name = list(FAULTS)[(number // (EVERY * SLICES)) % 3]
        made = faulty_run.project(tmp_path / str(number))
        try:
            check(made, name, number)
        finally:
            faulty_run.clean_up(made)


def check(made: faulty_run.HostileProject, name: str, number: int) -> None:
    failed = faulty_run.run(made, name, number, "-n", "1")
    where = (number, name, failed.screen)
    assert failed.code in (1, 2), where
    assert "Traceback" not in failed.screen and "bug in ralph" not in failed.screen, where
    if failed.code == 2:
        assert FAULTS[name] in failed.screen and "hint: " in failed.screen, where
    assert isinstance(json.loads((made.root / "ralph/tasks.json").read_bytes()), dict), where
    assert not (made.root / ".ralph-active").exists() or failed.code == 2, where
    assert faulty_run.left_running(made) == [], where
    assert faulty_run.temporaries(made) == [], where
    again = verb(made, "resume", "-n", "9")
    if "no run to resume here" in again.screen:
        again = faulty_run.run(made, "kill", 0)
    assert again.code == 0, (*where, again.screen)

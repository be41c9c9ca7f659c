"""A disk that is really full, at another place each time: clear words, and the run goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fault import faulty_run

PROGRAM = Path(faulty_run.SEAMS).parent / "small_disk.py"
# More than a run wants to find free before it begins.
DISK = 64 * 1024 * 1024
KIB = [0, 4, 12, 24, 48, 96]
SECONDS = 180


def run_on_a_small_disk(folder: Path, kib: int) -> dict[str, Any]:
    folder.mkdir()
    disk = ["bwrap", "--dev-bind", "/", "/", "--size", str(DISK), "--tmpfs", str(folder), "--"]
    done = subprocess.run(
        [*disk, sys.executable, str(PROGRAM), str(folder), str(kib)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("kib", KIB)
def test_a_full_disk_is_told_and_the_run_goes_on(tmp_path: Path, kib: int) -> None:
    found = run_on_a_small_disk(tmp_path / "disk", kib)
    assert 0 < found["size"] < DISK
    code, screen = found["full"]
    assert code in (1, 2), screen
    assert "Traceback" not in screen.replace("[ralph] Traceback", "") and "bug in" not in screen
    assert "No space left on device" in screen or kib > 48, screen
    if code == 2:
        assert "hint: " in screen
    assert (found["left"], found["temporaries"]) == ([], [])
    code, screen = found["again"]
    assert code == 0, screen
    told = ["verify-before", "submitted", "approved", "verify-after"]
    assert [event for event, _ in found["verdicts"]] == told, screen

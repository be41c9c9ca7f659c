"""Every disk fault and SIGKILL at every operation of an iteration, of a whole run, of an archive.

The long form of tests/fault/test_disk_faults.py, test_crash.py and test_archive_faults.py, which
try some of the operations: `bench/run faults [EVERY]` tries each EVERY-th one (1), takes up what
was interrupted and prints what was seen.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Without bench itself, whose runner.py would hide the tests' runner folder.
sys.path[:1] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from fault import faulty_run, test_archive_faults, test_crash  # noqa: E402
from fault.test_disk_faults import FAULTS, check  # noqa: E402


def main(every: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        most = faulty_run.operations(Path(folder) / "counted", "EIO", "-n", "1")
        for name in FAULTS:
            for number in range(1, most + 1, every):
                made = faulty_run.project(Path(folder) / f"{name}-{number}")
                check(made, name, number)
                faulty_run.clean_up(made)
            _tell(name, most, every)
        _kill(Path(folder), every)
        _archive(Path(folder), every)


def _kill(folder: Path, every: int) -> None:
    expected = test_crash.undisturbed(folder / "undisturbed")
    most = faulty_run.operations(folder / "counted-kill", "kill")
    for number in range(1, most + 1, every):
        test_crash.check(folder / f"kill-{number}", number, expected)
    _tell("SIGKILL", most, every)


def _archive(folder: Path, every: int) -> None:
    most = test_archive_faults.operations(folder / "counted-archive", "EIO")
    for name in FAULTS:
        for number in range(1, most + 1, every):
            test_archive_faults.check_failed(folder / f"archive-{name}-{number}", name, number)
        _tell(f"archive, {name}", most, every)
    most = test_archive_faults.operations(folder / "counted-archive-kill", "kill")
    for number in range(1, most + 1, every):
        test_archive_faults.check_killed(folder / f"archive-kill-{number}", number)
    _tell("archive, SIGKILL", most, every)


def _tell(fault: str, most: int, every: int) -> None:
    tried = len(range(1, most + 1, every))
    print(f"{fault}: {tried} of {most} operations, all taken up again", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

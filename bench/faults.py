"""Every disk fault at every operation of an iteration, and SIGKILL at every one of a whole run.

The long form of tests/fault/test_disk_faults.py, which gives each operation one of the faults, and
of test_crash.py: `bench/run faults [EVERY]` tries each EVERY-th operation (1), resumes and prints
what was seen.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Without bench itself, whose runner.py would hide the tests' runner folder.
sys.path[:1] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from fault import faulty_run, test_crash  # noqa: E402
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


def _kill(folder: Path, every: int) -> None:
    expected = test_crash.undisturbed(folder / "undisturbed")
    most = faulty_run.operations(folder / "counted-kill", "kill")
    for number in range(1, most + 1, every):
        test_crash.check(folder / f"kill-{number}", number, expected)
    _tell("SIGKILL", most, every)


def _tell(fault: str, most: int, every: int) -> None:
    tried = len(range(1, most + 1, every))
    print(f"{fault}: {tried} of {most} operations, all taken up again", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

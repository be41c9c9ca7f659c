"""An archive killed before its operations, and its writes failing: nothing is ever lost.

Every fifth one here, each by bench/run faults.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fault import faulty_run
from runner.hostile_project import DEADLINE, Ended, HostileProject
from runner.live_loop import verb

NAMES = ("prd.md", "tasks.json", "progress.txt")
EVERY = 5
FAULTS = ("ENOSPC", "EIO", "EROFS")


def archive(made: HostileProject, fault: str, number: int, **added: str) -> Ended:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(faulty_run.SEAMS), fault, str(number), "archive"],
        cwd=made.root,
        env={**made.environment, **added},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=DEADLINE,
        start_new_session=True,
    )
    return Ended(done.returncode, done.stdout.decode(errors="replace"))


def operations(folder: Path, fault: str) -> int:
    counted = folder / "count"
    ended = archive(faulty_run.project(folder), fault, 0, SEAMS_COUNT=str(counted))
    assert ended.code == 0, ended.screen
    return int(counted.read_text())


def plan(made: HostileProject) -> dict[str, bytes]:
    return {name: (made.root / "ralph" / name).read_bytes() for name in NAMES}


def copies(made: HostileProject, name: str) -> list[bytes]:
    folders = [made.root / "ralph", *made.root.glob("ralph-archive/*")]
    return [(f / name).read_bytes() for f in folders if (f / name).is_file()]


def test_killed_anywhere_it_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    most = operations(tmp_path / "counted", "kill")
    assert most > 40
    for number in range(1, most + 1, EVERY):
        check_killed(tmp_path / str(number), number)


def check_killed(folder: Path, number: int) -> None:
    made = faulty_run.project(folder)
    before = plan(made)
    killed = archive(made, "kill", number)
    assert killed.code == -9, (number, killed.screen)
    for name in NAMES:
        assert before[name] in copies(made, name), (number, name)
    _goes_on(made, before, number)


def _goes_on(made: HostileProject, before: dict[str, bytes], number: int) -> None:
    again = verb(made, "archive")
    if again.code == 2 and "ralph/ holds only fresh templates" in again.screen:
        _commit_as_told(made, again.screen)
    else:
        assert again.code == 0, (number, again.screen)
    [folder] = made.root.glob("ralph-archive/*")
    assert {name: (folder / name).read_bytes() for name in NAMES} == before, number
    assert made.git("status", "--porcelain", "--untracked-files=all") == "", number
    assert faulty_run.temporaries(made) == [], number


def _commit_as_told(made: HostileProject, screen: str) -> None:
    """Killed between the move and the commit, or right behind it."""
    if "hint: the last archive is not committed: " in screen:
        command = screen.partition("not committed: ")[2].partition(", then")[0].strip()
        made.git(*command.split()[1:])
        made.git("commit", "-q", "-m", "by hand")


def test_a_write_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    most = operations(tmp_path / "counted", "EIO")
    assert most > 20
    for number in range(1, most + 1, EVERY):
        check_failed(tmp_path / str(number), FAULTS[number // EVERY % 3], number)


def check_failed(folder: Path, fault: str, number: int) -> None:
    made = faulty_run.project(folder)
    before, head = plan(made), made.git("rev-parse", "HEAD")
    failed = archive(made, fault, number)
    where = (number, failed.screen)
    assert "Traceback" not in failed.screen and "bug in ralph" not in failed.screen, where
    if failed.code == 0:
        return
    assert failed.code == 2 and "hint: " in failed.screen, where
    assert plan(made) == before, where
    assert made.git("rev-parse", "HEAD") == head, where
    _goes_on(made, before, number)

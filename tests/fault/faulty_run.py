"""One project, one run of the engine with a planted fault, and what is left of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from runner.hostile_project import DEADLINE, MARK, Ended, HostileProject, end_marked, marked, story
from runner.live_loop import HONEST

SEAMS = Path(__file__).resolve().parent / "seams.py"


def project(folder: Path) -> HostileProject:
    return HostileProject(folder, story("US-1"))


def operations(folder: Path, fault: str, *options: str) -> int:
    """How many there are in an undisturbed run."""
    made = project(folder)
    counted = folder / "count"
    ended = run(made, fault, 0, *options, SEAMS_COUNT=str(counted))
    assert ended.code in (0, 1), ended.screen
    return int(counted.read_text())


def run(made: HostileProject, fault: str, number: int, *options: str, **added: str) -> Ended:
    words = ["run", "--delay", "0s", "--agent", HONEST, *options]
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(SEAMS), fault, str(number), *words],
        cwd=made.root,
        env={**made.environment, **added},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=DEADLINE,
        start_new_session=True,
    )
    return Ended(done.returncode, done.stdout.decode(errors="replace"))


def outcome(made: HostileProject) -> dict[str, Any]:
    """What must be the same however the run came about."""
    verdicts = [(e["event"], e["story"]) for e in made.ledger()]
    tree = made.git("ls-tree", "-r", "HEAD").splitlines()
    tree = [line for line in tree if not line.endswith("ralph/progress.txt")]
    told = {(e["event"], e["story"]) for e in made.journal() if e["event"].startswith("verify-")}
    return {"list": made.document(), "verdicts": verdicts, "tree": tree, "told": told}


def left_running(made: HostileProject) -> list[int]:
    return marked(f"{MARK}={made.mark}")


def clean_up(made: HostileProject) -> None:
    end_marked(f"{MARK}={made.mark}")


def temporaries(made: HostileProject) -> list[str]:
    """Half-written files under their temporary names, in the project."""
    pattern = re.compile(r"\..*\.[0-9a-f]{12}\.tmp")
    return [n for _, _, names in os.walk(made.root) for n in names if pattern.fullmatch(n)]

"""SIGKILL at a random moment, again and again: `bench/run kills [TIMES] [SEED]`, 1,000 by itself.

Each time a loop on a project of its own is killed somewhere between its start and its end, and
`resume` must bring it to the same list, verdicts and tree as a run that nobody disturbed.
tests/fault/test_crash.py kills before each operation instead, where a clock would rarely hit.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Without bench itself, whose runner.py would hide the tests' runner folder.
sys.path[:1] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from fault import faulty_run  # noqa: E402
from fault.test_crash import goes_on  # noqa: E402
from runner.hostile_project import ENGINE, HostileProject  # noqa: E402
from runner.live_loop import HONEST  # noqa: E402

TIMES = 1000


def main(times: int, seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        expected, longest = _undisturbed(Path(folder) / "undisturbed")
    killed = runs = 0
    while killed < times:
        runs += 1
        took = _one(chance.uniform(0, longest), expected, runs)
        killed += took is None
        # The machine's pace changes: who came to an end tells it, who was killed may be slow.
        longest = 1.01 * longest if took is None else 1.1 * took
    print(f"{killed} of {runs} runs killed, seed {seed}; all came to the same end")


def _one(moment: float, expected: dict[str, object], number: int) -> float | None:
    """What it took, if it ended before that moment."""
    with tempfile.TemporaryDirectory() as folder:
        made = faulty_run.project(Path(folder))
        try:
            took = _killed(made, moment)
            goes_on(made, number)
            assert faulty_run.outcome(made) == expected, number
            assert faulty_run.left_running(made) == [], number
        finally:
            faulty_run.clean_up(made)
    return took


def _undisturbed(folder: Path) -> tuple[dict[str, object], float]:
    """What it comes to, and a little more than it takes."""
    made = faulty_run.project(folder)
    start = time.monotonic()
    assert faulty_run.run(made, "kill", 0).code == 0
    return faulty_run.outcome(made), 1.1 * (time.monotonic() - start)


def _killed(made: HostileProject, seconds: float) -> float | None:
    start = time.monotonic()
    runner = subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "--delay", "0s"]
        + ["--agent", HONEST],
        cwd=made.root,
        env=made.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        runner.wait(seconds)
        return time.monotonic() - start
    except subprocess.TimeoutExpired:
        runner.kill()
        runner.wait()
        return None


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *[TIMES, random.randrange(1 << 32)][len(given) :])

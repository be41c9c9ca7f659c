"""Many starts at once in one folder: `bench/run starts [ROUNDS]` prints who ran, who was refused.

Exactly one of 16 may run, and all others must name it; anything else ends with exit code 1.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
ENGINE = [sys.executable, "-I", "-X", "utf8", str(REPO / "scripts/ralph_engine/__main__.py")]
# It lives until the others have left: whoever comes after its end may run, too.
AGENT = "sh -c 'read word < ../go; echo \"<response>DONE</response>\"'"
STARTS = 16
SECONDS = 120


def main(rounds: int) -> int:
    seen: Counter[str] = Counter()
    for number in range(1, rounds + 1):
        with tempfile.TemporaryDirectory() as name:
            told = one_round(Path(name))
        seen[told] += 1
        print(f"round {number}: {told}", flush=True)
    print("\n".join(f"{count} of {rounds} rounds: {told}" for told, count in seen.items()))
    return 0 if list(seen) == [words(1, STARTS - 1, 0)] else 1


def one_round(folder: Path) -> str:
    (folder / "project").mkdir()
    os.mkfifo(folder / "go")
    go = os.open(folder / "go", os.O_RDWR)
    try:
        started = [_start(folder) for _ in range(STARTS)]
        return _told(started, go)
    finally:
        os.close(go)


def words(ran: int, refused: int, other: int) -> str:
    return f"{ran} ran, {refused} were refused and named it, {other} did something else"


def _start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ENGINE, "run", "-p", "go", "--agent", AGENT],
        cwd=folder / "project",
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _told(started: list[subprocess.Popen[str]], go: int) -> str:
    """The losers end by themselves, the winner at our word."""
    _wait_for_all_but_one(started)
    os.write(go, b"on\n" * STARTS)
    screens = {process.pid: process.communicate(timeout=SECONDS)[1] for process in started}
    ran = [process.pid for process in started if process.returncode == 0]
    named = f"another loop runs in this folder (pid {ran[0] if ran else '?'} on "
    refused = [p for p in started if p.returncode == 2 and named in screens[p.pid]]
    return words(len(ran), len(refused), STARTS - len(ran) - len(refused))


def _wait_for_all_but_one(started: list[subprocess.Popen[str]]) -> None:
    left = [os.pidfd_open(process.pid) for process in started]
    give_up = time.monotonic() + SECONDS
    while len(left) > 1 and time.monotonic() < give_up:
        for fd in select.select(left, [], [], 1.0)[0]:
            left.remove(fd)
            os.close(fd)
    for fd in left:
        os.close(fd)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))

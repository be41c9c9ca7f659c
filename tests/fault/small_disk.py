"""A run on a disk that its agent fills, and the run that goes on once there is room again.

A program of its own, started where `FOLDER` is a small file system: `small_disk.py FOLDER KIB`
leaves so many KiB free when the first agent begins its work, and prints what came of it as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from fault import faulty_run  # noqa: E402
from runner.live_loop import HONEST, verb  # noqa: E402

AGENT = """cd "$OUTSIDE"; if [ ! -e ballast ]; then
  dd if=/dev/zero of=ballast bs=64k 2>/dev/null
  size=$(stat -c %s ballast); truncate -s $((size - {kib} * 1024)) ballast
fi; cd - >/dev/null; exec {honest}
"""


def main(folder: Path, kib: int) -> None:
    made = faulty_run.project(folder)
    agent = made.outside / "fills.sh"
    agent.write_text(AGENT.format(kib=kib, honest=HONEST))
    full = made.run(f"sh {agent}", iterations=1)
    ballast = made.outside / "ballast"
    told = {
        "size": ballast.stat().st_size,
        "full": full,
        "left": made.left_when_it_ended,
        "temporaries": faulty_run.temporaries(made),
    }
    ballast.write_bytes(b"")  # still there: the next agent fills nothing
    again = verb(made, "resume", "-n", "9")
    if "no run to resume here" in again.screen:
        again = made.run(HONEST, iterations=9)
    verdicts = faulty_run.outcome(made)["verdicts"] if again.code == 0 else []
    print(json.dumps({**told, "again": again, "verdicts": verdicts}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

"""What a report costs after an iteration: `bench/run report [ROUNDS]` fails above its aim."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "scripts"), str(REPO / "bench"), str(REPO / "tests")]

from ralph_engine import report_files  # noqa: E402
from ralph_engine.journal import NAME  # noqa: E402
from ratios import Act, measure, rounds, tell  # noqa: E402
from reports.told_run import RUN, long_run  # noqa: E402

ROUNDS, ITERATIONS, SAID_EACH = 10, 500, 100


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / RUN
        folder.mkdir()
        _write(folder / NAME)
        acts: dict[str, Act] = {
            "json.loads per line": lambda: _load(folder / NAME),
            "report of 500 iterations": lambda: _report(folder),
        }
        times = measure(acts, rounds(ROUNDS))
    return 0 if tell(times, "report of 500 iterations", "json.loads per line", 2.0) else 1


def _write(path: Path) -> None:
    """As on a real night, most lines are what agents did."""
    told = {"kind": "tool_end", "id": "x" * 30, "ok": True, "output": "o" * 300, "chars": 300}
    agent = {"n": 1, "time": "2026-03-02T22:15:00Z", "event": "agent", **told}
    with path.open("wb") as journal:
        for event in long_run(ITERATIONS).events:
            lines = [event, *([agent] * SAID_EACH if event["event"] == "agent-started" else [])]
            journal.writelines(json.dumps(line).encode() + b"\n" for line in lines)
    print(f"{ITERATIONS} iterations, {path.stat().st_size / 1e6:.1f} MB")


def _load(path: Path) -> None:
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)


def _report(folder: Path) -> None:
    report_files.compose(report_files.facts_of(folder))


if __name__ == "__main__":
    sys.exit(main())

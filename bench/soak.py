"""Does the runner stay the same over a long night? `bench/run soak [ITERATIONS]`, 2,000 by itself.

Prints its memory and open descriptors early and late, and fails where they grow.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPO / "bench"))

from runner import loop_command, make_project  # noqa: E402

MOST_GROWTH = 1.1
FEWEST_SAMPLES = 100


def main(iterations: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        project = make_project(Path(name), files=50)
        argv, environment = loop_command(project, iterations)
        runner = subprocess.Popen(
            argv, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        samples = _watch(runner)
    return 0 if _flat("memory (kB)", samples, 0) & _flat("descriptors", samples, 1) else 1


def _watch(runner: subprocess.Popen[bytes]) -> list[tuple[int, int]]:
    """A sample at each line that the runner prints."""
    samples = []
    assert runner.stderr is not None
    for _ in runner.stderr:
        try:
            samples.append(_sample(runner.pid))
        except OSError:
            break
    runner.wait(60)
    return samples


def _sample(pid: int) -> tuple[int, int]:
    status = Path(f"/proc/{pid}/status").read_text()
    resident = int(status.split("VmRSS:")[1].split()[0])
    return resident, len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _flat(what: str, samples: list[tuple[int, int]], column: int) -> bool:
    tenth = max(1, len(samples) // 10)
    values = [sample[column] for sample in samples]
    early, late = statistics.median(values[tenth : 2 * tenth]), statistics.median(values[-tenth:])
    few = len(values) < FEWEST_SAMPLES
    judged = ", too few to judge" if few else ""
    print(f"{what}: {early:g} early, {late:g} late, {late / early:.3f} x (N {len(values)}{judged})")
    return few or late / early <= MOST_GROWTH


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))

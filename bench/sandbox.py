"""Start-up of the bwrap sandbox: `bench/run sandbox [ROUNDS]` prints ratios to `bash -c true`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "scripts"), str(REPO / "bench")]

from ralph_engine.sandboxes import bwrap  # noqa: E402
from ralph_engine.sandboxes.backend import Place  # noqa: E402
from ratios import measure, rounds, tell  # noqa: E402

ROUNDS = 40
TRUE = ["bash", "-c", "true"]
BASE = "bash -c true"
AIMS = {"inside, network open": 10.0, "inside, network closed": 30.0, "the command line alone": 4.0}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "project").resolve()
        root.mkdir()
        Path(name, "state").mkdir()
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        opened, closed = (_sandbox(root, reach) for reach in ("open", "deny"))
        acts = {
            BASE: lambda: _run(TRUE, root),
            "inside, network open": lambda: _run(opened.wrap(TRUE, str(root), {}), root),
            "inside, network closed": lambda: _run(closed.wrap(TRUE, str(root), {}), root),
            "the command line alone": lambda: opened.wrap(TRUE, str(root), {}),
        }
        times = measure(acts, rounds(ROUNDS))
        closed.leave()
    met = [tell(times, name, BASE, aim) for name, aim in AIMS.items()]
    return 0 if all(met) else 1


def _sandbox(root: Path, reach: str) -> bwrap.Sandbox:
    state = str(root.parent / "state")
    agent = ("claude",)
    made = bwrap.Sandbox(
        Place(str(root), "ralph", state, str(REPO), (agent,), agent, os.environ, reach)
    )
    lack = made.available()
    if lack:
        sys.exit(f"no bwrap here: {lack}")
    made.ensure()
    return made


def _run(argv: list[str], root: Path) -> None:
    subprocess.run(argv, cwd=root, check=True)


if __name__ == "__main__":
    sys.exit(main())

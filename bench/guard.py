"""What the guard costs a tool call in a loop: `python3 bench/guard.py` fails above an aim.

shfmt is taken from PATH, or from beside the interpreter that scripts/ralph.sh made.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "scripts"), str(REPO / "bench")]

from ratios import Act, measure, tell  # noqa: E402

from hooks import PYTHON, _project_in_loop  # noqa: E402

ROUNDS = 40
SIMPLE = "pytest -q tests/unit"
COMPLEX = 'for f in $(git ls-files "*.py"); do grep -l "TODO" "$f" | xargs -r sed -n 1,5p; done'
FLOOR = "python3 -I -S -c 'import json'"


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        project = _project_in_loop(scratch)
        acts: dict[str, Act] = {
            FLOOR: _run([PYTHON, "-I", "-S", "-c", "import json"], {}, b""),
            "guard, a simple command": _guard(project, scratch, SIMPLE),
            "guard, a pipeline in a loop": _guard(project, scratch, COMPLEX),
        }
        times = measure(acts, ROUNDS)
    simple = tell(times, "guard, a simple command", FLOOR, 2.5)
    return 0 if tell(times, "guard, a pipeline in a loop", FLOOR, 5.0) and simple else 1


def _guard(project: Path, scratch: Path, command: str) -> Act:
    shfmt = shutil.which("shfmt") or str(Path(sys.executable).parent / "shfmt")
    pinned = scratch / "cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True, exist_ok=True)
    pinned.write_text(f"{PYTHON}\n{shfmt}\n")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "CLAUDE_PROJECT_DIR": str(project),
        "RALPH_ACTIVE": "1",
        "RALPH_RUN_ID": "bench",
    }
    sent = {"session_id": "bench", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    data = json.dumps({**sent, "cwd": str(project), "tool_input": {"command": command}})
    return _run(["sh", str(REPO / "hooks" / "run"), "guard"], environment, data.encode())


def _run(argv: list[str], environment: dict[str, str], sent: bytes) -> Act:
    def act() -> None:
        done = subprocess.run(argv, env=environment, input=sent, capture_output=True, check=True)
        assert done.stdout == b"", done.stdout

    return act


if __name__ == "__main__":
    sys.exit(main())

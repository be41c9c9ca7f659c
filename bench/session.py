"""What a same-session loop's stop costs: `bench/run session [ROUNDS]` prints ratios in one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "scripts"), str(REPO / "bench")]

from ralph_engine.core import loop_command, session_state  # noqa: E402
from ratios import Act, measure, rounds, tell  # noqa: E402

ROUNDS = 40
PYTHON = os.path.realpath(sys.executable)
SIZES = {"1 kB": 1 << 10, "20 MB": 20 << 20, "200 MB": 200 << 20}
LAST = "Still at it."


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        return 0 if all(_stops(Path(name))) else 1


def _stops(scratch: Path) -> list[bool]:
    floor = "python3 -I -S -c 'import json'"
    acts: dict[str, Act] = {floor: _program([PYTHON, "-I", "-S", "-c", "import json"], {}, b"")}
    for label, size in SIZES.items():
        acts[f"stop, {label} transcript"] = _stop(scratch / label, size)
    times = measure(acts, rounds(ROUNDS))
    small, *larger = [name for name in acts if name != floor]
    met = [tell(times, name, floor, 2.5) for name in (small, *larger)]
    return met + [tell(times, name, small, 1.3) for name in larger]


def _stop(project: Path, size: int) -> Act:
    """Each stop finds the same turn behind the same offset, and goes on with the loop."""
    project.mkdir()
    transcript = project / "transcript.jsonl"
    before = _transcript(transcript, size)
    chosen = {**loop_command.parse("ralph-loop", "Fix it", {}), "maxIterations": 999_999}
    state = session_state.new("bench", "ralph-loop", chosen, 0.0, before)
    sent = {
        "session_id": "bench",
        "hook_event_name": "Stop",
        "transcript_path": str(transcript),
        "last_assistant_message": LAST,
    }
    stop = _program(["sh", str(REPO / "hooks" / "run"), "stop"], _environment(project), _json(sent))

    def act() -> None:
        session_state.write(str(project), state)
        assert stop() != b"", "the stop was not blocked"

    return act


def _transcript(path: Path, size: int) -> int:
    """Old entries up to the size, then one turn; returns where that begins."""
    filler = _json({"type": "user", "message": {"content": "x" * 900}}) + b"\n"
    with path.open("wb") as file:
        while file.tell() + len(filler) < size:
            file.write(filler)
        before = file.tell()
        for block in ({"type": "tool_use", "name": "Bash"}, {"type": "text", "text": LAST}):
            message = {"id": block["type"], "content": [block]}
            file.write(_json({"type": "assistant", "message": message}) + b"\n")
    return before


def _environment(project: Path) -> dict[str, str]:
    pinned = project / "cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True)
    pinned.write_text(PYTHON + "\n")
    return {
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": str(project / "cache"),
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_CODE_SESSION_ID": "bench",
    }


def _program(argv: list[str], environment: dict[str, str], sent: bytes) -> Act:
    def act() -> bytes:
        return subprocess.run(argv, env=environment, input=sent, capture_output=True).stdout

    return act


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


if __name__ == "__main__":
    sys.exit(main())

"""What the context monitor costs each tool call: `bench/run context [ROUNDS]` prints ratios."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "bench")]

from ratios import measure, rounds, tell  # noqa: E402

ROUNDS = 60
PYTHON = os.path.realpath(sys.executable)
FLOOR = "python3 -I -S -c 'import json'"
SIZES = {"1 kB": 1 << 10, "20 MB": 20 << 20, "1 GB": 1 << 30}
FILLER = b'{"type":"user","message":{"content":"' + b"x" * 900 + b'"}}\n'
MIB = 1 << 20
CALL = "toolu_bench"
Act = Callable[[], bytes]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        return 0 if all(_monitor(Path(name))) else 1


def _monitor(scratch: Path) -> list[bool]:
    """Most calls find a level that has nothing to tell; then one told before, then a loop, then
    a transcript without an answer near its end."""
    acts: dict[str, Act] = {FLOOR: _program([PYTHON, "-I", "-S", "-c", "import json"], {}, b"")}
    for label, size in SIZES.items():
        acts[f"{label} transcript"] = _call(scratch / label, size, _answer(60_000))
    small, *larger = [name for name in acts if name != FLOOR]
    told = _call(scratch / "told", SIZES["1 GB"], _answer(130_000), told=True)
    loop = _call(scratch / "loop", SIZES["1 GB"], _answer(60_000), loop=True)
    lost = _call(scratch / "lost", SIZES["1 GB"], FILLER, call="")
    others = {"1 GB, told before": told, "1 GB, in a loop": loop, "1 GB, no answer near": lost}
    times = measure({**acts, **others}, rounds(ROUNDS))
    met = [tell(times, name, FLOOR, 1.6) for name in (small, *larger, *others)]
    return met + [tell(times, name, small, 1.3) for name in larger]


def _call(
    folder: Path, size: int, last: bytes, told: bool = False, loop: bool = False, call: str = CALL
) -> Act:
    folder.mkdir()
    transcript = folder / "transcript.jsonl"
    _write(transcript, size, last)
    sent = {
        "session_id": "bench",
        "hook_event_name": "PostToolUse",
        "transcript_path": str(transcript),
        "tool_name": "Bash",
        "tool_use_id": call,
        "tool_input": {"command": "make test"},
        "tool_response": {"stdout": "x" * 2000},
    }
    if loop:
        (folder / ".ralph-active").write_text(json.dumps(_marker()))
    command = ["sh", str(REPO / "hooks" / "run"), "context_monitor"]
    act = _program(command, _environment(folder), json.dumps(sent).encode())
    assert (act() != b"") == told, "the first call did not do what is measured here"
    return act


def _write(path: Path, size: int, last: bytes) -> None:
    """A hole, a MiB of entries, the last one."""
    with path.open("wb") as file:
        file.truncate(max(0, size - MIB))
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + FILLER * (min(size, MIB) // len(FILLER)) + last)


def _answer(tokens: int) -> bytes:
    usage = {"input_tokens": 3, "cache_read_input_tokens": tokens, "output_tokens": 9}
    call = {"type": "tool_use", "id": CALL, "name": "Bash", "input": {}}
    message = {"model": "claude", "content": [call], "usage": usage}
    return json.dumps({"type": "assistant", "message": message}).encode() + b"\n"


def _marker() -> dict[str, object]:
    before = {"passes": False, "reviewStatus": None, "reviewCount": 0}
    return {
        "timestamp": "2026-01-01T00:00:00Z",
        "pid": os.getpid(),
        "max_iterations": 15,
        "mode": "direct",
        "iterationMode": "implement",
        "preIterationSnapshot": {f"US-{number}": before for number in range(20)},
        "runId": "bench",
        "sessionId": "bench",
        "goal": "tasks",
    }


def _environment(folder: Path) -> dict[str, str]:
    pinned = folder / "cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True)
    pinned.write_text(PYTHON + "\n")
    return {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "CLAUDE_PROJECT_DIR": str(folder),
        "CLAUDE_CODE_SESSION_ID": "bench",
        "RALPH_RUN_ID": "bench",
    }


def _program(argv: list[str], environment: dict[str, str], sent: bytes) -> Act:
    def act() -> bytes:
        done = subprocess.run(argv, env=environment, input=sent, capture_output=True, check=True)
        return done.stdout

    return act


if __name__ == "__main__":
    sys.exit(main())

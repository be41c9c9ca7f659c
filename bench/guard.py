"""What the guard costs a tool call: `bench/run guard [ROUNDS]` prints ratios in one run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPO / "bench")]

from ratios import Act, measure, rounds, tell  # noqa: E402

ROUNDS = 40
PYTHON = os.path.realpath(sys.executable)
FLOOR = "python3 -I -S -c 'import json'"
SIMPLE = {
    "simple: ls": "ls -la src",
    "simple: git and npm": 'git add -A && git commit -m "feat: x" && npm test',
    "simple: a pipeline": "grep -rn TODO src | sort | uniq -c | head -20 > out.txt",
    "simple: denied": "git push --force origin main",
}
LOOP = 'for f in src/*.py; do if grep -q x "$f"; then sed -i s/a/b/ "$f"; fi; done'
COMPLEX = {
    "complex: a loop": LOOP,
    "complex: substitutions": 'v=$(git describe --tags) && docker build -t "app:${v#v}" .',
    "complex: a here-document": "cat > a.py <<'E'\n" + "print('x')\n" * 200 + "E\npython3 a.py",
    "complex: three shells deep": "bash -c 'sh -c \"$(echo ls) && (cd src; ls)\" | tee /tmp/x'",
}
FILES = {"a file tool": {"tool_name": "Write", "tool_input": {"file_path": "src/app.py"}}}


def main() -> int:
    shfmt = _shfmt()
    if not shfmt:
        print("shfmt: start scripts/ralph.sh once, or put shfmt on PATH", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        return 0 if all(_calls(Path(name), shfmt)) else 1


def _shfmt() -> str:
    """The environment's own, as the launchers pinned it, or one beside this interpreter."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ralph")
    found = [sys.executable, *map(str, cache.glob("env-*/bin/python"))]
    beside = [Path(python).parent / "shfmt" for python in found]
    usable = [str(path) for path in beside if os.access(path, os.X_OK)]
    return (usable or [shutil.which("shfmt") or ""])[0]


def _calls(scratch: Path, shfmt: str) -> list[bool]:
    environment = _loop(scratch, shfmt)
    acts: dict[str, Act] = {FLOOR: _program([PYTHON, "-I", "-S", "-c", "import json"], {}, b"")}
    for name, command in {**SIMPLE, **COMPLEX}.items():
        given = {"tool_name": "Bash", "tool_input": {"command": command}}
        acts[name] = _guard(environment, given, name.endswith("denied"))
    for name, given in FILES.items():
        acts[name] = _guard(environment, given, False)
    times = measure(acts, rounds(ROUNDS))
    met = [tell(times, name, FLOOR, 2.5) for name in [*SIMPLE, *FILES]]
    return met + [tell(times, name, FLOOR, 5.0) for name in COMPLEX]


def _loop(project: Path, shfmt: str) -> dict[str, str]:
    marker = {"timestamp": "", "pid": 1, "max_iterations": 1, "mode": "direct"}
    marker.update({"runId": "bench", "sessionId": "bench"})
    (project / ".ralph-active").write_text(json.dumps(marker))
    pinned = project / "cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True)
    pinned.write_text(f"{PYTHON}\n{shfmt}\n")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(project),
        "XDG_CACHE_HOME": str(project / "cache"),
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_CODE_SESSION_ID": "bench",
        "RALPH_ACTIVE": "1",
        "RALPH_RUN_ID": "bench",
    }


def _guard(environment: dict[str, str], given: dict[str, object], denies: bool) -> Act:
    sent = {"session_id": "bench", "hook_event_name": "PreToolUse", "cwd": "/tmp", **given}
    argv = ["sh", str(REPO / "hooks" / "run"), "guard"]
    guard = _program(argv, environment, json.dumps(sent).encode())

    def act() -> None:
        assert (guard() != b"") == denies, given

    return act


def _program(argv: list[str], environment: dict[str, str], sent: bytes) -> Act:
    def act() -> bytes:
        return subprocess.run(argv, env=environment, input=sent, capture_output=True).stdout

    return act


if __name__ == "__main__":
    sys.exit(main())

"""What a hook costs: `bench/run hooks [ROUNDS]` prints wall ratios and fails above an aim."""

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

from ralph_engine.core import gate, snapshot, tasks  # noqa: E402
from ratios import Act, measure, rounds, tell  # noqa: E402

ROUNDS = 40
PYTHON = os.path.realpath(sys.executable)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        met = [*_inactive(scratch), *_active(scratch), *_large_list()]
    return 0 if all(met) else 1


def _inactive(scratch: Path) -> list[bool]:
    project = scratch / "no loop"
    project.mkdir()
    hooks = {f"inactive {n} hook": _hook(REPO, n, project, scratch) for n in ("stop", "guard")}
    times = measure({"sh -c :": _program(["sh", "-c", ":"]), **hooks}, rounds(ROUNDS))
    return [tell(times, name, "sh -c :", 2.0) for name in hooks]


def _active(scratch: Path) -> list[bool]:
    project = _project_in_loop(scratch)
    uncached = scratch / "uncached"
    _copy_without_byte_code(uncached)
    base = "python3 -I -S -c 'import json'"
    acts = {
        base: _program([PYTHON, "-I", "-S", "-c", "import json"]),
        "active stop hook": _hook(REPO, "stop", project, scratch),
        "active stop hook, no byte code": _hook(uncached, "stop", project, scratch),
    }
    times = measure(acts, rounds(ROUNDS))
    return [
        tell(times, "active stop hook", base, 2.0),
        tell(times, "active stop hook, no byte code", base, 3.0),
    ]


def _large_list() -> list[bool]:
    document = {**_list_of(5000), "verifyCommands": ["make test"]}
    text = json.dumps(document)
    marker = _marker(document)

    def judge() -> None:
        faults = tasks.faults(document)
        assert not faults
        assert not gate.invariants(document, marker) + gate.iteration(document, marker, [])

    acts: dict[str, Act] = {"json.loads": lambda: json.loads(text), "gate, 5000 stories": judge}
    return [tell(measure(acts, rounds(ROUNDS)), "gate, 5000 stories", "json.loads", 3.0)]


def _copy_without_byte_code(plugin: Path) -> None:
    for folder in ("hooks", "scripts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPO / folder, plugin / folder, ignore=ignored)
    for package in ("", "core"):
        # A file of that name keeps Python, root's too, from making the folder.
        (plugin / "scripts" / "ralph_engine" / package / "__pycache__").touch()


def _hook(plugin: Path, name: str, project: Path, scratch: Path) -> Act:
    pinned = scratch / "cache" / "ralph" / "hooks.env"
    pinned.parent.mkdir(parents=True, exist_ok=True)
    pinned.write_text(PYTHON + "\n")
    environment = {
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_CODE_SESSION_ID": "bench",
        "RALPH_RUN_ID": "bench",
    }
    return _program(["sh", str(plugin / "hooks" / "run"), name], environment)


def _program(argv: list[str], environment: dict[str, str] | None = None) -> Act:
    sent = b'{"session_id": "bench", "hook_event_name": "Stop"}'

    def act() -> None:
        subprocess.run(argv, env=environment, input=sent, stdout=subprocess.DEVNULL, check=True)

    return act


def _project_in_loop(scratch: Path) -> Path:
    """No repository: the stop is judged by all rules but the clean tree."""
    project = scratch / "in a loop"
    (project / "ralph").mkdir(parents=True)
    document = _list_of(5)
    (project / "ralph" / "tasks.json").write_text(json.dumps(document))
    (project / ".ralph-active").write_text(json.dumps(_marker(document)))
    return project


def _marker(document: tasks.Document) -> dict[str, object]:
    return {
        "timestamp": "2026-01-01T00:00:00Z",
        "pid": os.getpid(),
        "max_iterations": 15,
        "mode": "direct",
        "reviewCap": 5,
        "iterationMode": "implement",
        "preIterationSnapshot": snapshot.of_stories(document),
        "verifyCommands": snapshot.digests(document.get("verifyCommands", [])),
        "runId": "bench",
        "sessionId": "bench",
        "story": "US-0",
    }


def _list_of(count: int) -> tasks.Document:
    stories = [_story(number) for number in range(count)]
    return {"project": "p", "branchName": "b", "description": "d", "userStories": stories}


def _story(number: int) -> tasks.Story:
    return {
        "id": f"US-{number}",
        "title": f"Story number {number}",
        "description": "As a user I want the list to stay fast, so that I can use it. " * 3,
        "acceptanceCriteria": [f"Case {number} holds", "The menu has All, Active, Done", "Tested"],
        "priority": number,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "",
        "dependsOn": [f"US-{number - 1}"] if number else [],
        "verify": [f"pytest -k case_{number}"],
    }


if __name__ == "__main__":
    sys.exit(main())

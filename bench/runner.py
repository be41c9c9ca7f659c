"""What the runner itself costs: `bench/run runner [ROUNDS]` prints its own time per iteration.

With an agent that does nothing, as a ratio to `git status --porcelain` in the same repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPO / "bench"))

from ratios import Act, measure, rounds, tell  # noqa: E402

# Rounds, and the iterations that one loop of each has more than the other.
ROUNDS = 10
AIM = 15.0
FILES = 2000
STATUS = "git status --porcelain"


def main() -> int:
    number = rounds(ROUNDS)
    with tempfile.TemporaryDirectory() as name:
        project = make_project(Path(name))
        acts: dict[str, Act] = {
            STATUS: _command(project, "git", "status", "--porcelain"),
            "agent": _command(project, "sh", "-c", "echo nothing"),
            "one": _loop(project, 1),
            "many": _loop(project, 1 + number),
        }
        times = measure(acts, number)
    own = [
        (many - one) / number - agent
        for one, many, agent in zip(times["one"], times["many"], times["agent"])
    ]
    name = "own time per iteration"
    return 0 if tell({**times, name: own}, name, STATUS, AIM) else 1


def make_project(folder: Path, files: int = FILES) -> Path:
    project = folder / "project"
    (project / "ralph").mkdir(parents=True)
    for number in range(files):
        (project / f"file-{number}.txt").write_text(f"{number}\n")
    (project / "ralph" / "prompt.md").write_text("Do nothing.\n")
    (project / "ralph" / "tasks.json").write_text(json.dumps(_list()))
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        _git(project, *arguments)
    return project


def _list() -> dict[str, object]:
    story = {
        "id": "US-1",
        "title": "Never done",
        "acceptanceCriteria": ["It is done"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
    }
    return {"project": "p", "branchName": "main", "description": "d", "userStories": [story]}


def _git(project: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"]
    subprocess.run(["git", *identity, *arguments], cwd=project, check=True)


def loop_command(project: Path, iterations: int) -> tuple[list[str], dict[str, str]]:
    engine = [sys.executable, "-I", "-X", "utf8", str(REPO / "scripts/ralph_engine/__main__.py")]
    options = ["--delay", "0s", "--breaker", "0", "-n", str(iterations)]
    agent = ["--agent", "sh -c 'echo nothing'"]
    environment = {**os.environ, "XDG_STATE_HOME": str(project.parent / "state")}
    return [*engine, "run", *options, *agent], environment


def _loop(project: Path, iterations: int) -> Act:
    argv, environment = loop_command(project, iterations)
    return _command(project, *argv, code=1, environment=environment)


def _command(
    project: Path, *argv: str, code: int = 0, environment: dict[str, str] | None = None
) -> Act:
    def act() -> None:
        done = subprocess.run(argv, cwd=project, env=environment, capture_output=True)
        assert done.returncode == code, done.stderr.decode()

    return act


if __name__ == "__main__":
    sys.exit(main())

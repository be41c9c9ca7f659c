"""A small project on which the real runner is let loose with a hostile agent."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Story = dict[str, Any]
Event = dict[str, Any]

REPOSITORY = Path(__file__).resolve().parents[2]
ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"
PROGRAMS = REPOSITORY / "tests" / "fixtures" / "hostile"
FROZEN = {
    "ralph/prd.md": "# What is wanted\n",
    "ralph/prompt.md": "Work on {{STORY}} in mode {{MODE}}. The end is <promise>...</promise>.\n",
    ".ralph/settings.json": '{"outputTruncateChars": 4000}\n',
}
OTHERS = {
    "ralph/progress.txt": "# Progress\n",
    "ralph/guardrails.md": "# Guardrails\n",
    "app.py": "ANSWER = 42\n",
    ".ralph/.gitignore": "*\n!.gitignore\n!settings.json\n",
}
IDENTITY = {
    "GIT_AUTHOR_NAME": "Agent",
    "GIT_AUTHOR_EMAIL": "agent@localhost",
    "GIT_COMMITTER_NAME": "Agent",
    "GIT_COMMITTER_EMAIL": "agent@localhost",
}
REVIEW_STATES: dict[str, Story] = {
    "implement": {},
    "review": {"reviewStatus": "needs_review"},
    "review-fix": {
        "reviewStatus": "changes_requested",
        "reviewCount": 1,
        "reviewFeedback": "Not yet",
    },
}
MARK = "RALPH_HOSTILE_TEST"
DEADLINE = 60.0
# What the ledger has beside verdicts and submissions.
NO_VERDICTS = ("verify-before", "verify-after", "work-began")


class Ended(NamedTuple):
    code: int
    printed: str

    @property
    def screen(self) -> str:
        return without_clock(self.printed)


def without_clock(printed: str) -> str:
    """The runner's own lines without the time in front of each."""
    return re.sub(r"^\[\d\d:\d\d:\d\d\] (?=\[ralph\] )", "", printed, flags=re.MULTILINE)


def story(name: str, mode: str = "implement", **changes: Any) -> Story:
    plain = {
        "id": name,
        "title": f"Story {name}",
        "acceptanceCriteria": [f"{name} works", f"{name} is hard"],
        "verify": ["test -f app.py"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "As planned",
    }
    return {**plain, **REVIEW_STATES[mode], **changes}


def agent(program: str, *arguments: str) -> str:
    return shlex.join([sys.executable, str(PROGRAMS / f"{program}.py"), *arguments])


def by_name(document: dict[str, Any]) -> dict[str, Any]:
    """A story that comes back stands at the end of the list."""
    return {**document, "userStories": {s["id"]: s for s in document["userStories"]}}


class HostileProject:
    """`outside` holds what no run may touch, and the hostile programs' own aids."""

    def __init__(self, folder: Path, *stories: Story, inside: str = "") -> None:
        self.repository = folder / ("repository" if inside else "project")
        self.root = self.repository / inside
        self.state, self.outside, self.home = folder / "state", folder / "outside", folder / "home"
        for path in (self.root / "ralph", self.root / ".ralph", self.outside, self.home):
            path.mkdir(parents=True)
        self.before = self._list(stories or (story("US-1"), story("US-2", priority=2)))
        for name, text in {**FROZEN, **OTHERS, "ralph/tasks.json": self.before}.items():
            (self.root / name).write_text(text)
        (self.outside / "of a person.txt").write_text("mine\n")
        os.mkfifo(self.outside / "alive")
        self.mark = str(uuid.uuid4())
        self.left_when_it_ended: list[int] = []
        self._make_history()
        self.start = self.git("rev-parse", "HEAD")

    def _make_history(self) -> None:
        self.git("init", "-q", "-b", "main", str(self.repository))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")
        (self.root / "work.py").write_text("WORK = 1\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "work")

    def _list(self, stories: Sequence[Story]) -> str:
        top = {"project": "p", "branchName": "main", "description": "d"}
        checks = ["test -f app.py", "test -f ralph/prd.md"]
        return json.dumps({**top, "verifyCommands": checks, "userStories": list(stories)})

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "XDG_STATE_HOME": str(self.state),
            "OUTSIDE": str(self.outside),
            "TRAPPED": str(self.outside / "trapped"),
            "ALIVE": str(self.outside / "alive"),
            MARK: self.mark,
            # These runs show the runner's own rules; sandboxes have tests of their own.
            "IS_SANDBOX": "1",
            **IDENTITY,
        }

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def run(
        self,
        command: str,
        *options: str,
        iterations: int = 2,
        env: Mapping[str, str] | None = None,
        witness: Witness | None = None,
        engine: Sequence[str] = (str(ENGINE),),
        around: Sequence[str] = (),
    ) -> Ended:
        """The runner, to its end, and that of the process a witness looks at."""
        argv = [*around, sys.executable, "-I", "-X", "utf8", *engine, "run", "--agent", command]
        argv += ["--delay", "0s", "-n", str(iterations), *options]
        screen = self.outside.parent / f"screen-{uuid.uuid4()}"
        try:
            with screen.open("wb") as out:
                done = subprocess.run(
                    argv,
                    cwd=self.root,
                    env={**self.environment, **(env or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    timeout=DEADLINE,
                    start_new_session=True,
                )
            self.left_when_it_ended = marked(f"{MARK}={self.mark}")
            assert witness is None or witness.sees_the_end(), "it still lives"
        finally:
            end_marked(f"{MARK}={self.mark}")
        return Ended(done.returncode, screen.read_text(errors="replace"))

    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / "ralph" / "tasks.json").read_bytes())
        return found

    def stories(self) -> dict[str, Story]:
        return {s["id"]: s for s in self.document()["userStories"]}

    def journal(self) -> list[Event]:
        """The runner's own, of all runs, in their order."""
        journals = sorted(self.state.glob("ralph/project-*/runs/*/journal.jsonl"))
        return [json.loads(line) for j in journals for line in j.read_text().splitlines()]

    def ledger(self) -> list[Event]:
        found = list(self.state.glob("ralph/project-*/ledger.jsonl"))
        return [json.loads(line) for path in found for line in path.read_text().splitlines()]

    def verdicts(self) -> list[Event]:
        """The ledger without the runs of stories' own checks and where work began."""
        return [e for e in self.ledger() if e["event"] not in NO_VERDICTS]

    def violations(self) -> set[str]:
        return {e["rule"] for e in self.journal() if e["event"] == "violation"}

    def prompt(self, iteration: int) -> str:
        """As kept by the newest run."""
        return max(self.root.glob(f".ralph/runs/*/prompt-{iteration}.md")).read_text()

    def kept(self, pattern: str = "undone-*") -> list[Path]:
        return sorted(self.root.glob(f".ralph/runs/*/{pattern}"))

    def outside_files(self) -> dict[str, bytes]:
        """Content by path; what is no regular file has none."""
        found = sorted(p for p in self.outside.rglob("*") if not p.is_dir())
        return {str(p): p.read_bytes() if p.is_file() else b"" for p in found}


class Witness:
    """Sees when the last process that held the FIFO `alive` open is gone."""

    def __init__(self, project: HostileProject) -> None:
        self._fd = os.open(project.outside / "alive", os.O_RDONLY | os.O_NONBLOCK)

    def sees_the_end(self, seconds: float = 10.0) -> bool:
        poll = select.poll()
        poll.register(self._fd, select.POLLHUP)
        return bool(poll.poll(seconds * 1000))

    def __enter__(self) -> Witness:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def end_marked(mark: str) -> None:
    """Kills what still carries the mark of this very test."""
    give_up = time.monotonic() + 10
    while left := marked(mark):
        assert time.monotonic() < give_up, f"these processes cannot be killed: {left}"
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def marked(mark: str) -> list[int]:
    """Processes with this NAME=value in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):  # a glob fails on one that just ended
        with contextlib.suppress(OSError):
            if mark.encode() in Path("/proc", pid, "environ").read_bytes().split(b"\0"):
                found.append(int(pid))
    return found

"""A user's surroundings for the demo, and what a whole run of it left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "scripts" / "ralph_engine" / "__main__.py"
PYTHON = [sys.executable, "-I", "-X", "utf8"]
SECONDS = 60
GITCONFIG = """[commit]
\tgpgsign = true
[gpg]
\tprogram = false
[core]
\thooksPath = /nowhere
\texcludesFile = ~/ignored
[init]
\tdefaultBranch = ralph/greeter
"""


class Place:
    """A user's home, state and temporary folder, each with something to lose."""

    def __init__(self, root: Path) -> None:
        self.home, self.state = root / "home", root / "state"
        self.temporary = root / 'it\'s a "temp" folder'
        self.repository = root / "repository"
        for folder in (self.home, self.state, self.temporary, self.repository):
            folder.mkdir()
        (self.home / ".gitconfig").write_text(GITCONFIG)
        (self.home / "ignored").write_text("*\n")
        subprocess.run(["git", "init", "-q", str(self.repository)], check=True, timeout=SECONDS)
        self.mark = f"DEMO_MARK={uuid.uuid4()}"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.state),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "GIT_DIR": str(self.repository / ".git"),
            "RALPH_MAX_ITERATIONS": "1",
            "CLAUDE_CONFIG_DIR": str(self.home),
            **dict([self.mark.split("=")]),
        }

    def run(
        self, *arguments: str, engine: Path = ENGINE, inside: Sequence[str] = (), **env: str
    ) -> subprocess.CompletedProcess[str]:
        """`inside` is a sandbox's command line that the demo's is put behind."""
        return subprocess.run(
            [*inside, *PYTHON, str(engine), "demo", *arguments],
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def start(
        self, *arguments: str, stdout: int = subprocess.PIPE, **env: str
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*PYTHON, str(ENGINE), "demo", *arguments],
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT if stdout == subprocess.PIPE else subprocess.PIPE,
            start_new_session=True,
        )

    def left_over(self) -> list[str]:
        return [path.name for path in self.temporary.iterdir()]

    def everything(self) -> dict[str, bytes | None]:
        """All that is the user's, with its content."""
        folders = (self.home, self.state, self.repository)
        paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
        return {str(path): path.read_bytes() if path.is_file() else None for path in paths}

    def processes(self) -> list[str]:
        """Those that carry our mark or live in our folder, a moment after the demo has ended."""
        marks, found = (self.mark.encode(), str(self.temporary).encode()), []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
                marked = any(mark in environment for mark in marks)
                alive = (folder / "stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if marked and alive:
                found.append(command)
        return found


class Kept:
    """A whole run, and what it left behind with --keep."""

    def __init__(self, place: Place, *arguments: str, inside: Sequence[str] = ()) -> None:
        self.place, self.before = place, place.everything()
        self.done = place.run("--keep", *arguments, inside=inside)
        assert (self.done.returncode, self.done.stderr) == (0, ""), self.done
        self.lines = self.done.stdout.splitlines()
        (self.folder,) = place.temporary.iterdir()
        self.events = read_lines(self.one("state/ralph/*/runs/*/journal.jsonl"))
        self.ledger = read_lines(self.one("state/ralph/*/ledger.jsonl"))
        self.stories = json.loads(self.one("greeter/ralph/tasks.json").read_text())["userStories"]

    def one(self, pattern: str) -> Path:
        (path,) = self.folder.glob(pattern)
        return path

    def of(self, name: str, *fields: str) -> list[tuple[str, ...]]:
        found = [event for event in self.events if event["event"] == name]
        return [tuple(event[field] for field in fields) for event in found]

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder / "greeter", capture_output=True, text=True
        )
        assert done.returncode == 0, done
        return done.stdout


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]

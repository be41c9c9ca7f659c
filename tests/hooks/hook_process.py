"""Starts hooks the way hooks.json says, in a git project of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from rules import SESSION, Case, Marker, task_list

PLUGIN = Path(__file__).resolve().parents[2]
DEADLINE_SECONDS = 60
INTERPRETER = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
NOBODY = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@localhost",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@localhost",
}


class Answer(NamedTuple):
    code: int
    stdout: str
    stderr: str

    @property
    def decision(self) -> dict[str, Any] | None:
        """What Claude Code would read: the whole of stdout, or nothing at all."""
        return json.loads(self.stdout) if self.stdout else None

    @property
    def reason(self) -> str:
        """Why the stop is blocked; a stop that is not fails the test."""
        assert self.quiet, self
        assert self.decision is not None, "the stop was allowed"
        assert set(self.decision) == {"decision", "reason"}
        assert self.decision["decision"] == "block"
        return str(self.decision["reason"])

    @property
    def allowed(self) -> bool:
        assert self.quiet, self
        return self.stdout == ""

    @property
    def quiet(self) -> bool:
        return self.code == 0 and self.stderr == ""

    @property
    def listed(self) -> list[str]:
        """The entries of the list in the reason."""
        return [line[2:] for line in self.reason.splitlines() if line.startswith("- ")]


def command_of(event: str, plugin: Path = PLUGIN) -> str:
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"][event]
    [hook] = [hook for group in hooks for hook in group["hooks"]]
    assert hook["type"] == "command"
    return str(hook["command"])


def start(event: str, sent: dict[str, Any], environment: dict[str, str], plugin: Path) -> Answer:
    """As the client does: one shell, the input as JSON, in a session of its own."""
    ran = subprocess.run(
        ["sh", "-c", command_of(event, plugin)],
        input=json.dumps({"hook_event_name": event, **sent}).encode(),
        env={**environment, "CLAUDE_PLUGIN_ROOT": str(plugin)},
        cwd=environment["CLAUDE_PROJECT_DIR"],
        capture_output=True,
        timeout=DEADLINE_SECONDS,
        start_new_session=True,
    )
    return Answer(ran.returncode, ran.stdout.decode("ascii"), ran.stderr.decode())


class Project:
    """A folder with a task list, and with git where `init` was called."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.home = root, home
        self.told: dict[str, str] = {}
        self.root.mkdir(parents=True, exist_ok=True)
        self.pin_interpreter()

    def pin_interpreter(self) -> None:
        """Where the launchers write down which Python hooks use."""
        pinned = self.home / ".cache" / "ralph" / "hooks.env"
        pinned.parent.mkdir(parents=True, exist_ok=True)
        pinned.write_text(f"{INTERPRETER}\n\n")

    def init(self) -> None:
        self.git("init", "-q", "--template=", "-b", "main")
        self.write("ralph/tasks.json", json.dumps(EMPTY))
        self.commit()

    def git(self, *arguments: str, **options: Any) -> bytes:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), **NOBODY}
        return subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            timeout=DEADLINE_SECONDS,
            **options,
        ).stdout

    def commit(self) -> None:
        """All there is, but for what belongs to the loop."""
        own = [":!.ralph-active", ":!.ralph"]
        self.git("add", "-A", "--", ".", *own)
        self.git("commit", "-q", "--allow-empty", "-m", "work")

    def write(self, path: str, content: bytes | str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def mark(self, marker: Marker) -> None:
        """A runner that writes a runId also tells it to the agents that it starts."""
        self.write(".ralph-active", json.dumps(marker))
        told = {"RALPH_ACTIVE": "1", "RALPH_RUN_ID": marker.get("runId", "")}
        self.told = told if "runId" in marker else {}

    def environment(self, session: str) -> dict[str, str]:
        """All that a hook finds: nothing of the tests' own environment but PATH."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "CLAUDE_PROJECT_DIR": str(self.root),
            "CLAUDE_CODE_SESSION_ID": session,
            "GIT_CONFIG_NOSYSTEM": "1",
            **self.told,
        }

    def stop(self, session: str = SESSION, plugin: Path = PLUGIN, **more: str) -> Answer:
        """A turn that wants to end; `more` is added to its environment."""
        environment = {**self.environment(session), **more}
        sent = {
            "session_id": session,
            "transcript_path": str(self.home / "transcript.jsonl"),
            "cwd": str(self.root),
            "permission_mode": "bypassPermissions",
            "stop_hook_active": False,
            "last_assistant_message": "Done.",
            "background_tasks": [],
        }
        return start("Stop", sent, environment, plugin)

    def events(self) -> list[dict[str, Any]]:
        """Every line that hooks left behind; one that is no JSON fails the test."""
        log = self.root / ".ralph" / "hook-events.jsonl"
        return [json.loads(line) for line in log.read_bytes().splitlines()]


EMPTY = task_list()
IDLE = Case("an iteration that changed nothing", EMPTY, (), ())


def copied(template: Path, root: Path, home: Path) -> Project:
    """A project like the template, made without starting git."""
    shutil.copytree(template, root, symlinks=True)
    return Project(root, home)

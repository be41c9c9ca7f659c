"""Drives the real runner, which drives the real Claude Code client against a scripted model."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from e2e import claude_client
from e2e.claude_client import MARK, REPOSITORY, client_path
from e2e.loop_project import shell, story
from ralph_engine import schema
from ralph_engine.scripted_model import Request, ScriptedModel, Turn
from ralph_engine.scripted_model.script import ScriptEntry
from runner.hostile_project import NO_VERDICTS, without_clock

Event = dict[str, Any]
DEADLINE = 100.0
_RUNNER = [sys.executable, "-I", "-X", "utf8"]
_ENGINE = REPOSITORY / "scripts" / "ralph_engine" / "__main__.py"


class Ran(NamedTuple):
    """One run from the outside, and what it left in its state folder."""

    code: int
    screen: list[str]
    requests: list[Request]
    journal: list[Event]
    ledger: list[Event]

    @property
    def last_line(self) -> str:
        return [line for line in self.screen if not line.startswith("hint: ")][-1]

    def of(self, *names: str) -> list[Event]:
        return [entry for entry in self.journal if entry["event"] in names]

    @property
    def verdicts(self) -> list[Event]:
        return [entry for entry in self.ledger if entry["event"] not in NO_VERDICTS]

    def openings(self) -> list[Request]:
        """The first request of every session."""
        first: dict[str, Request] = {}
        for request in self.requests:
            first.setdefault(session_in(request), request)
        return list(first.values())

    def prompts(self) -> list[str]:
        return [prompt_in(request) for request in self.openings()]

    def endings(self) -> list[str]:
        return [entry["kind"] for entry in self.of("agent-ended")]


class Life:
    """A project with a home of its own; `stories` is the list as the script leaves it."""

    def __init__(self, folder: Path, *names: str, prompt: str = "Work on {{STORY}}.") -> None:
        self.root, self._folder = folder / "project", folder
        self.state = folder / "state"
        self.stories = [story(name, priority=n) for n, name in enumerate(names, 1)]
        self.verify: list[str] = []
        self.settings: dict[str, Any] = {}
        self.agent = str(client_path())
        self.left_running: list[int] = []
        self.home = folder / "home"
        # Around the runner: another user, say; None takes a variable away.
        self.around: list[str] = []
        self.changes: dict[str, str | None] = {}
        (self.root / "ralph").mkdir(parents=True)
        (folder / "versions").mkdir()
        (self.root / "ralph" / "prompt.md").write_text(prompt)
        (self.root / "ralph" / "progress.txt").write_text("# Progress\n")

    def begin(self) -> str:
        """The first commit, once stories and settings are as the test wants them."""
        (self.root / "ralph" / "tasks.json").write_text(self._list())
        (self.root / ".ralph").mkdir()
        self.write_settings(**self.settings)
        (self.root / ".ralph" / ".gitignore").write_text("*\n!.gitignore\n!settings.json\n")
        for arguments in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "A Tester"),
            ("config", "user.email", "tester@localhost"),
            ("add", "-A"),
            ("commit", "-q", "-m", "start"),
        ):
            self.git(*arguments)
        return self.head()

    def write_settings(self, **settings: Any) -> None:
        (self.root / ".ralph" / "settings.json").write_text(json.dumps(settings))

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def commits(self) -> dict[str, str]:
        """Commit by subject, oldest first; a subject that stands twice is a fault."""
        lines = self.git("log", "--reverse", "--format=%s%x00%H").splitlines()
        found = dict(line.split("\0") for line in lines)
        assert len(found) == len(lines), lines
        return found

    def listed(self) -> list[dict[str, Any]]:
        stories = json.loads((self.root / "ralph" / "tasks.json").read_text())["userStories"]
        return [dict(entry) for entry in stories]

    def hook_events(self) -> list[Event]:
        return _json_lines(self.root / ".ralph" / "hook-events.jsonl")

    def edit(self, name: str, message: str = "", before: str = "true", **changes: Any) -> Turn:
        """The agent works, changes one story and commits all; without a message it does not."""
        return self._version(
            [{**s, **changes} if s["id"] == name else s for s in self.stories], message, before
        )

    def split(self, name: str, parts: list[dict[str, Any]], message: str, before: str) -> Turn:
        at = [s["id"] for s in self.stories].index(name)
        return self._version([*self.stories[:at], *parts, *self.stories[at + 1 :]], message, before)

    def run(self, turns: Iterable[ScriptEntry], *flags: str, deadline: float = DEADLINE) -> Ran:
        """A run that must use up its script, no more and no less."""
        script = list(turns)
        with ScriptedModel(script) as model:
            code, screen = self._run(model, [*_FLAGS, "--agent", self.agent, *flags], deadline)
        told = "\n".join(screen)
        assert (len(model.requests), model.answers_past_the_end) == (len(script), 0), told
        return Ran(code, screen, model.requests, self._newest_journal(), self._ledger())

    def _run(
        self, model: ScriptedModel, flags: list[str], deadline: float
    ) -> tuple[int, list[str]]:
        environment = self._environment(model)
        for name, value in self.changes.items():
            environment.pop(name, None)
            environment.update({} if value is None else {name: value})
        err = self._folder / "screen"
        with err.open("wb") as screen:
            runner = subprocess.Popen(
                [*self.around, *_RUNNER, str(_ENGINE), "run", *flags],
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=screen,
                stderr=screen,
                start_new_session=True,
            )
            try:
                code = runner.wait(deadline)
                self.left_running = claude_client._marked_processes(environment[MARK])
            except subprocess.TimeoutExpired:
                raise AssertionError(f"no end in {deadline} s: {err.read_text()}") from None
            finally:
                claude_client._kill(runner, environment[MARK])
        return code, without_clock(err.read_text()).splitlines()

    def _environment(self, model: ScriptedModel) -> dict[str, str]:
        self.home.mkdir(exist_ok=True)
        return {
            **claude_client._offline_environment(model, self._folder / "scratch", self.home),
            "XDG_STATE_HOME": str(self.state),
        }

    def _version(self, stories: list[dict[str, Any]], message: str, before: str) -> Turn:
        self.stories = stories
        version = self._folder / "versions" / f"{uuid.uuid4()}.json"
        version.write_text(self._list())
        command = f"{before} && cp {shlex.quote(str(version))} ralph/tasks.json"
        commit = f" && git add -A && git commit -qm {shlex.quote(message)}"
        return shell(command + (commit if message else ""))

    def _list(self) -> str:
        top = {"project": "p", "branchName": "main", "description": "d"}
        whole = {**top, "verifyCommands": self.verify, "userStories": self.stories}
        return json.dumps(whole, indent=2)

    def _newest_journal(self) -> list[Event]:
        found = sorted(self.state.glob("ralph/*/runs/*/journal.jsonl"))
        events = _json_lines(found[-1]) if found else []
        assert [event for event in events if not schema.accepts("event", event)] == []
        return events

    def _ledger(self) -> list[Event]:
        found = list(self.state.glob("ralph/*/ledger.jsonl"))
        return _json_lines(found[0]) if found else []


_FLAGS = ["--delay", "0s", "--iteration-timeout", "60s"]


def prompt_in(request: Request) -> str:
    """What the runner sent: the only text of the user's that is no reminder of the client."""
    content = [m["content"] for m in request.messages if m["role"] == "user"][0]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    found = [block["text"] for block in blocks if block["type"] == "text"]
    [only] = [text for text in found if not text.startswith("<system-reminder>")]
    return str(only)


def session_in(request: Request) -> str:
    return str(json.loads(request.body["metadata"]["user_id"])["session_id"])


def _json_lines(path: Path) -> list[Event]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

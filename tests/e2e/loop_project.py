"""A git project in the middle of a loop, as the runner would leave it before an iteration."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from pathlib import Path
from typing import Any

from e2e.claude_client import ClientRun, run_claude
from ralph_engine import schema
from ralph_engine.core import fingerprint, snapshot
from ralph_engine.scripted_model import ScriptedModel, Turn, call

Story = dict[str, Any]


class LoopProject:
    """`root` is the project; the agent's new versions of the list lie outside it."""

    def __init__(self, folder: Path, *stories: Story) -> None:
        self.root, self.outside = folder / "project", folder / "outside"
        self.run = f"run-{uuid.uuid4()}"
        self.begin_session()
        (self.root / "ralph").mkdir(parents=True)
        self.outside.mkdir()
        self.stories = [dict(entry) for entry in stories]
        (self.root / "ralph" / "tasks.json").write_text(self._list(self.stories))
        (self.root / "ralph" / "progress.txt").write_text("# Progress\n")
        for arguments in (
            ("init", "-q"),
            ("config", "user.name", "A Tester"),
            ("config", "user.email", "tester@localhost"),
            ("add", "-A"),
            ("commit", "-q", "-m", "start"),
        ):
            self.git(*arguments)

    def begin_session(self) -> None:
        self.session = str(uuid.uuid4())

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def mark(self, mode: str, **changes: Any) -> None:
        """Writes the marker of an iteration on the first story."""
        document = json.loads((self.root / "ralph" / "tasks.json").read_text())
        marker = {
            "timestamp": "2026-01-01T00:00:00Z",
            "pid": os.getpid(),
            "max_iterations": 15,
            "mode": "direct",
            "skipReview": False,
            "reviewCap": 5,
            "iterationMode": mode,
            "preIterationSnapshot": snapshot.of_stories(document),
            "runId": self.run,
            "sessionId": self.session,
            "iteration": 3,
            "story": self.stories[0]["id"],
            "goal": "tasks",
            "ralphDir": "ralph",
            "atCap": "approve",
            "verifyCommands": [],
            "digests": {"ralph/prd.md": fingerprint.of(str(self.root), "ralph/prd.md")},
            "baseline": self._baseline(),
            "host": "here",
        }
        kept = {name: value for name, value in {**marker, **changes}.items() if value is not None}
        (self.root / ".ralph-active").write_text(json.dumps(kept))

    def environment(self, **changes: str) -> dict[str, str]:
        return {"RALPH_ACTIVE": "1", "RALPH_RUN_ID": self.run, **changes}

    def edit(self, commit: bool = True, **changes: Any) -> Turn:
        """The agent's turn: the first story changed, and committed or not."""
        version = self.outside / f"{uuid.uuid4()}.json"
        version.write_text(self._list([{**self.stories[0], **changes}, *self.stories[1:]]))
        command = f"cp '{version}' ralph/tasks.json"
        return shell(command + (" && git commit -qam edit" if commit else ""))

    def hook_events(self) -> list[dict[str, Any]]:
        log = self.root / ".ralph" / "hook-events.jsonl"
        events = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        assert all(schema.accepts("hook-event", event) for event in events), events
        return events

    def _baseline(self) -> dict[str, str]:
        status = self.git("status", "--porcelain", "-z", "--untracked-files=all")
        paths = [entry[3:] for entry in status.split("\0") if entry]
        return {path: fingerprint.of(str(self.root), path) for path in paths}

    def _list(self, stories: list[Story]) -> str:
        top = {"project": "p", "branchName": "main", "description": "d", "verifyCommands": []}
        return json.dumps({**top, "userStories": stories}, indent=2)


def story(name: str, **changes: Any) -> Story:
    plain = {
        "id": name,
        "title": f"Story {name}",
        "acceptanceCriteria": ["It works"],
        "priority": 1,
        "passes": False,
        "reviewStatus": None,
        "reviewCount": 0,
        "reviewFeedback": "",
        "notes": "",
    }
    return {**plain, **changes}


def shell(command: str) -> Turn:
    return call("Bash", command=command, description="work")


def iterate(
    project: LoopProject, turns: list[Turn], **options: Any
) -> tuple[ClientRun, ScriptedModel]:
    """One session of the real client that must use up its script."""
    options.setdefault("env", project.environment())
    with ScriptedModel(turns) as model:
        run = run_claude(model, project.root, session_id=project.session, **options)
    assert (run.exit_code, model.answers_past_the_end) == (0, 0), run.stderr
    assert len(model.requests) == len(turns)
    return run, model


def blocks(model: ScriptedModel) -> list[str]:
    """What the Stop hook told the model."""
    return [r.new_text for r in model.requests if "Stop hook feedback" in r.new_text]

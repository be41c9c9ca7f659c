"""A person who plans with the real client, and the model's answers to it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from e2e.claude_client import REPOSITORY, run_claude
from ralph_engine.scripted_model import Request, ScriptedModel, Turn, call
from ralph_engine.scripted_model.script import ScriptEntry

Story = dict[str, Any]
STORY: Story = {
    "id": "US-001",
    "title": "Greet by name",
    "description": "hello.sh prints a greeting for the name it is given.",
    "acceptanceCriteria": ["`sh hello.sh Ada` prints 'Hello, Ada!'"],
    "verify": ['test "$(sh hello.sh Ada)" = "Hello, Ada!"'],
    "priority": 1,
    "dependsOn": [],
    "passes": False,
    "reviewStatus": None,
    "reviewCount": 0,
    "reviewFeedback": "",
    "notes": "",
}
PRD = "# PRD: Greeter\n\n## Summary\n\nGreets whoever is named.\n"
# Nobody is there to say yes: a command runs only where the skill itself allows it.
UNATTENDED = ("--permission-mode", "default")


class Planner:
    def __init__(
        self, root: Path, home: Path, environment: Mapping[str, str], plugin: Path = REPOSITORY
    ) -> None:
        self.root, self.home, self.environment, self.plugin = root, home, environment, plugin
        self.session = str(uuid.uuid4())

    def say(self, text: str, turns: list[ScriptEntry], *args: str) -> list[Request]:
        """One prompt, in which the model must use up its script."""
        options: dict[str, Any] = {"home": self.home, "env": self.environment, "args": args}
        options.update(plugin=self.plugin, session_id=self.session)
        with ScriptedModel(turns) as model:
            run = run_claude(model, self.root, text, **options)
        assert (run.exit_code, model.answers_past_the_end) == (0, 0), run.stderr
        assert len(model.requests) == len(turns)
        return model.requests

    def answer(self, text: str, turns: list[ScriptEntry]) -> list[Request]:
        """The next prompt of the same session."""
        return self.say(text, turns, "--resume", self.session)

    def path(self, name: str) -> Path:
        return self.root / "ralph" / name

    def stories(self) -> list[Story]:
        found: list[Story] = json.loads(self.path("tasks.json").read_text())["userStories"]
        return found

    def runs(self, verb: str) -> Turn:
        """As the skill writes it, with the plugin's folder filled in by the client."""
        launcher = self.plugin / "scripts" / "ralph.sh"
        return call("Bash", command=f'"{launcher}" {verb}', description=verb)

    def reads(self, name: str) -> Turn:
        return call("Read", file_path=str(self.path(name)))

    def writes(self, name: str, text: str) -> Turn:
        return call("Write", file_path=str(self.path(name)), content=text)

    def writes_stories(self, *stories: Story) -> ScriptEntry:
        def made(_: Request) -> Turn:
            document = json.loads(self.path("tasks.json").read_text())
            return self.writes("tasks.json", json.dumps({**document, "userStories": stories}))

        return made

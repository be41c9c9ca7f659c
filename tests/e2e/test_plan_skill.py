"""/ralph-plan on the real client: the program decides which planning it is, and checks the end."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest
from e2e.claude_client import REPOSITORY, run_claude
from ralph_engine.scripted_model import Request, ScriptedModel, Turn, call, say
from ralph_engine.scripted_model.script import ScriptEntry

RALPH = REPOSITORY / "scripts" / "ralph.sh"
# The launcher's own environment: kept, as making it takes long.
CACHE = Path(os.environ.get("RALPH_TEST_CLIENTS", "/nowhere")).parent / "launched"
STORY = {
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
LATER = {**STORY, "id": "US-002", "title": "Greet all", "priority": 2, "dependsOn": ["US-001"]}
# Nobody is there to say yes: a command runs only where the skill itself allows it.
UNATTENDED = ("--permission-mode", "default")
FAULTY = [{**STORY, "acceptanceCriteria": []}, {**LATER, "dependsOn": ["US-1"]}]
FAULTS = [
    "userStories[0].acceptanceCriteria (US-001) is a list of 0",
    'userStories[1].dependsOn[0] (US-002) names "US-1", which is not in the list',
]


class Planning:
    """A project that init has just made, and the sessions of the person who plans in it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "it's a shop", folder / "home"
        self.home.mkdir()
        self.root.mkdir()
        self.session = str(uuid.uuid4())
        self.environment = {
            "XDG_CACHE_HOME": str(CACHE),
            "XDG_STATE_HOME": str(folder / "state"),
        }

    def init(self) -> None:
        (self.root / "Makefile").write_text("test:\n\ttrue\n")
        subprocess.run(
            [REPOSITORY / "scripts" / "ralph-init.sh", "--no-input", "--name", "Greeter"],
            cwd=self.root,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), **self.environment},
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
        )

    def say(self, text: str, turns: list[ScriptEntry], *args: str) -> list[Request]:
        """One prompt, in which the model must use up its script."""
        options: dict[str, Any] = {"home": self.home, "env": self.environment, "args": args}
        with ScriptedModel(turns) as model:
            run = run_claude(model, self.root, text, session_id=self.session, **options)
        assert (run.exit_code, model.answers_past_the_end) == (0, 0), run.stderr
        assert len(model.requests) == len(turns)
        return model.requests

    def path(self, name: str) -> Path:
        return self.root / "ralph" / name

    def stories(self) -> Any:
        return json.loads(self.path("tasks.json").read_text())["userStories"]

    def reads(self, name: str) -> Turn:
        return call("Read", file_path=str(self.path(name)))

    def writes(self, name: str, text: str) -> Turn:
        return call("Write", file_path=str(self.path(name)), content=text)

    def writes_stories(self, stories: list[dict[str, Any]]) -> ScriptEntry:
        def made(_: Request) -> Turn:
            document = json.loads(self.path("tasks.json").read_text())
            return self.writes("tasks.json", json.dumps({**document, "userStories": stories}))

        return made


def runs(verb: str) -> Turn:
    """As the skill writes it, with the plugin's folder filled in by the client."""
    return call("Bash", command=f'"{RALPH}" {verb}', description=verb)


@pytest.fixture
def planning(tmp_path: Path) -> Planning:
    return Planning(tmp_path)


def test_full_planning_asks_writes_both_files_and_repairs_what_the_check_names(
    planning: Planning,
) -> None:
    planning.init()
    turns: list[ScriptEntry] = [runs("plan"), say("Whom should it greet?")]
    asked = planning.say("/ralph-plan a greeter", turns, *UNATTENDED)
    skill = asked[0].new_text
    assert f'Run `"{RALPH}" plan`, written exactly so.' in skill
    assert "ARGUMENTS: a greeter" in skill
    assert asked[1].new_text.splitlines() == [
        "planning: full; ralph/prd.md is still the template",
        "list: ralph/tasks.json is still the starter; replace its story, keep the other fields",
        "verifyCommands: make test",
    ]
    written = planning.say(
        "Whoever is named.",
        [
            planning.reads("prd.md"),
            planning.writes("prd.md", "# PRD: Greeter\n\n## Summary\n\nGreets.\n"),
            planning.reads("tasks.json"),
            planning.writes_stories(FAULTY),
            runs("check"),
            planning.writes_stories([STORY, LATER]),
            runs("check"),
            say("Two stories. What should be different?"),
        ],
        "--resume",
        planning.session,
    )
    named = written[5].new_text
    assert "ralph/tasks.json: 2 faults" in named
    assert all(fault in named for fault in FAULTS)
    assert written[7].new_text.splitlines() == [
        "ralph/tasks.json: no faults; 2 stories: 2 to do",
        "budget: 2 stories left, about 3 iterations each = about 6 of 15",
    ]
    assert planning.path("prd.md").read_text() == "# PRD: Greeter\n\n## Summary\n\nGreets.\n"
    assert planning.stories() == [STORY, LATER]


def test_derivation_leaves_the_prd_byte_identical(planning: Planning) -> None:
    """On the words of a person, not the command: the model knows them from the description."""
    planning.init()
    prd = b"# PRD: Greeter\r\n\r\nGreets whoever is named.  \n\xff no end of line"
    planning.path("prd.md").write_bytes(prd)
    turns: list[ScriptEntry] = [
        call("Skill", skill="ralph:ralph-plan"),
        runs("plan"),
        planning.reads("prd.md"),
        planning.reads("tasks.json"),
        planning.writes_stories([STORY]),
        runs("check"),
        say("One story. What should be different?"),
    ]
    seen = planning.say("plan this feature for ralph", turns)
    for words in ("plan this feature for ralph", "create a ralph prd", "generate tasks for ralph"):
        assert f'"{words}"' in offered(seen[0])
    assert f'Run `"{RALPH}" plan`, written exactly so.' in seen[1].new_text
    assert seen[2].new_text.splitlines()[0] == (
        "planning: derivation; ralph/prd.md has content and stays byte for byte as it is"
    )
    assert "ralph/tasks.json: no faults; 1 story: 1 to do" in seen[6].new_text
    assert planning.path("prd.md").read_bytes() == prd
    assert planning.stories() == [STORY]


def offered(request: Request) -> str:
    """The line of the client's list of skills."""
    texts = json.dumps(request.body, ensure_ascii=False).replace('\\"', '"')
    return texts.partition("ralph:ralph-plan: ")[2].partition("\\n")[0]


def test_without_init_the_model_learns_what_to_tell(planning: Planning) -> None:
    seen = planning.say("/ralph-plan", [runs("plan"), say("Run init first.")], *UNATTENDED)
    init = shlex.quote(str(REPOSITORY / "scripts" / "ralph-init.sh"))
    assert f"there is no folder ralph/ in {planning.root}" in seen[1].new_text
    assert f"hint: run init first: {init}" in seen[1].new_text
    assert list(planning.root.iterdir()) == []

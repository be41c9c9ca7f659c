"""/ralph-plan on the real client: the program decides which planning it is, and checks the end."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import launchers_cache
import pytest
from e2e.claude_client import REPOSITORY
from e2e.planning import PRD, STORY, UNATTENDED, Planner
from ralph_engine.scripted_model import Request, call, say

RALPH = REPOSITORY / "scripts" / "ralph.sh"
LATER = {**STORY, "id": "US-002", "title": "Greet all", "priority": 2, "dependsOn": ["US-001"]}
FAULTY = [{**STORY, "acceptanceCriteria": []}, {**LATER, "dependsOn": ["US-1"]}]
FAULTS = [
    "userStories[0].acceptanceCriteria (US-001) is a list of 0",
    'userStories[1].dependsOn[0] (US-002) names "US-1", which is not in the list',
]
BEGIN = f'Run `"{RALPH}" plan`, written exactly so.'


@pytest.fixture
def planner(tmp_path: Path) -> Planner:
    root, home = tmp_path / "it's a shop", tmp_path / "home"
    for folder in (root, home):
        folder.mkdir()
    state = {"XDG_CACHE_HOME": launchers_cache.PATH, "XDG_STATE_HOME": str(tmp_path / "state")}
    return Planner(root, home, state)


def init(planner: Planner) -> None:
    (planner.root / "Makefile").write_text("test:\n\ttrue\n")
    subprocess.run(
        [REPOSITORY / "scripts" / "ralph-init.sh", "--no-input", "--name", "Greeter"],
        cwd=planner.root,
        env={"PATH": os.environ["PATH"], "HOME": str(planner.home), **planner.environment},
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )


def test_full_planning_asks_writes_both_files_and_repairs_what_the_check_names(
    planner: Planner,
) -> None:
    init(planner)
    asked = planner.say(
        "/ralph-plan a greeter", [planner.runs("plan"), say("Whom should it greet?")], *UNATTENDED
    )
    assert BEGIN in asked[0].new_text
    assert "ARGUMENTS: a greeter" in asked[0].new_text
    assert asked[1].new_text.splitlines() == [
        "planning: full; ralph/prd.md is still the template",
        "list: ralph/tasks.json is still the starter; replace its story, name project and"
        " branchName after the feature, keep the other fields",
        "verifyCommands: make test",
    ]
    written = planner.answer(
        "Whoever is named.",
        [
            planner.reads("prd.md"),
            planner.writes("prd.md", PRD),
            planner.reads("tasks.json"),
            planner.writes_stories(*FAULTY),
            planner.runs("check"),
            planner.writes_stories(STORY, LATER),
            planner.runs("check"),
            say("Two stories. What should be different?"),
        ],
    )
    named = written[5].new_text
    assert "ralph/tasks.json: 2 faults" in named
    assert [fault for fault in FAULTS if fault not in named] == []
    assert written[7].new_text.splitlines() == [
        "ralph/tasks.json: no faults; 2 stories: 2 to do",
        "budget: 2 stories left, about 3 iterations each = about 6 of 15",
    ]
    assert planner.path("prd.md").read_text() == PRD
    assert planner.stories() == [STORY, LATER]


def test_derivation_leaves_the_prd_byte_identical(planner: Planner) -> None:
    """On a person's words, not the command: the model knows them from the description."""
    init(planner)
    prd = b"# PRD: Greeter\r\n\r\nGreets whoever is named.  \n\xff no end of line"
    planner.path("prd.md").write_bytes(prd)
    seen = planner.say(
        "plan this feature for ralph",
        [
            call("Skill", skill="ralph:ralph-plan"),
            planner.runs("plan"),
            planner.reads("prd.md"),
            planner.reads("tasks.json"),
            planner.writes_stories(STORY),
            planner.runs("check"),
            say("One story. What should be different?"),
        ],
    )
    for words in ("plan this feature for ralph", "create a ralph prd", "generate tasks for ralph"):
        assert f'"{words}"' in offered(seen[0])
    assert BEGIN in seen[1].new_text
    assert seen[2].new_text.splitlines()[0] == (
        "planning: derivation; ralph/prd.md has content and stays byte for byte as it is"
    )
    assert "ralph/tasks.json: no faults; 1 story: 1 to do" in seen[6].new_text
    assert planner.path("prd.md").read_bytes() == prd
    assert planner.stories() == [STORY]


def offered(request: Request) -> str:
    """The line of the client's list of skills."""
    texts = json.dumps(request.body, ensure_ascii=False).replace('\\"', '"')
    return texts.partition("ralph:ralph-plan: ")[2].partition("\\n")[0]


def test_without_init_the_model_learns_what_to_tell(planner: Planner) -> None:
    turns = [planner.runs("plan"), say("Run init first.")]
    seen = planner.say("/ralph-plan", turns, *UNATTENDED)
    assert f"there is no folder ralph/ in {planner.root}" in seen[1].new_text
    assert "hint: run init first: " in seen[1].new_text
    assert list(planner.root.iterdir()) == []

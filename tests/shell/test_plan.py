"""plan: which planning a project needs, decided by the program and not by the model."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import starter
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import HostileProject
from runner.live_loop import LiveLoop

REPOSITORY = Path(__file__).resolve().parents[2]
ENGINE = [sys.executable, "-I", "-X", "utf8", str(REPOSITORY / "scripts/ralph_engine/__main__.py")]
TEMPLATE = (REPOSITORY / "templates" / "prd.md").read_text(encoding="utf-8")
SECONDS = 60
FULL = "planning: full; ralph/prd.md is still the template"
MISSING = "planning: full; ralph/prd.md is missing"
DERIVATION = "planning: derivation; ralph/prd.md has content and stays byte for byte as it is"


def plan(root: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    state = {"XDG_STATE_HOME": str(root.parent / "state")}
    return subprocess.run(
        [*ENGINE, "plan", *options],
        cwd=root,
        env={"PATH": os.environ["PATH"], "HOME": str(root.parent), **state, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def said(root: Path) -> list[str]:
    done = plan(root)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.splitlines()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for path, text in starter.contents("Größe {{DATE}} 🙂", date(2024, 5, 6)).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_a_fresh_init_is_planned_in_full(project: Path) -> None:
    assert said(project) == [
        FULL,
        "list: ralph/tasks.json is still the starter; replace its story, name project and"
        " branchName after the feature, keep the other fields",
        "verifyCommands: none found; look for some, or ask",
    ]


def test_a_plan_in_another_folder(project: Path) -> None:
    (project / "ralph").rename(project / "plans")
    first, second, _ = plan(project, "--ralph-dir", "plans").stdout.splitlines()
    assert first == "planning: full; plans/prd.md is still the template"
    assert second.startswith("list: plans/tasks.json is still the starter; ")


NOBODYS = {
    "untouched": TEMPLATE,
    "empty": "",
    "blank": " \n\t\n",
    "another name": TEMPLATE.replace("{{PROJECT_NAME}}", "Something else"),
    "line ends of another system": TEMPLATE.replace("\n", "\r\n"),
    "with a byte order mark": "\ufeff" + TEMPLATE,
    "without its last sections": TEMPLATE.partition("## Constraints")[0],
    "indented by an editor": TEMPLATE.replace("\n", "\n  "),
}
SOMEBODYS = {
    "one line": TEMPLATE.replace("## Problem\n", "## Problem\n\nLate invoices.\n"),
    "one row": TEMPLATE.replace("|  |  |  |  |", "| no cart | x | y | z |", 1),
    "a heading of one's own": TEMPLATE + "\n## Rollout\n",
    "inside a comment": TEMPLATE.replace("why now. -->", "why now. Late invoices. -->"),
    "no form at all": "Build me a shop.\n",
}


@pytest.mark.parametrize("text", NOBODYS.values(), ids=NOBODYS)
def test_what_nobody_wrote_may_be_written_over(project: Path, text: str) -> None:
    (project / "ralph" / "prd.md").write_bytes(text.encode())
    assert said(project)[0] == FULL


@pytest.mark.parametrize("text", SOMEBODYS.values(), ids=SOMEBODYS)
def test_one_line_of_a_persons_own_makes_it_theirs(project: Path, text: str) -> None:
    (project / "ralph" / "prd.md").write_bytes(text.encode())
    assert said(project)[0] == DERIVATION


def test_bytes_that_are_no_text_are_somebodys(project: Path) -> None:
    (project / "ralph" / "prd.md").write_bytes(b"\xff\xfe")
    assert said(project)[0] == DERIVATION


def test_a_missing_prd_and_a_missing_list(project: Path) -> None:
    for name in ("prd.md", "tasks.json"):
        (project / "ralph" / name).unlink()
    assert said(project)[:2] == [MISSING, "list: ralph/tasks.json is missing"]


def listed(project: Path, *stories: dict[str, Any]) -> str:
    path = project / "ralph" / "tasks.json"
    document = json.loads(path.read_text())
    [one] = document["userStories"]
    every = [{**one, "id": f"US-{n}", "title": "x", **s} for n, s in enumerate(stories)]
    path.write_text(json.dumps({**document, "userStories": every}))
    return said(project)[1]


def test_stories_that_are_there_are_not_for_replacing(project: Path) -> None:
    done = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "seen"}
    assert listed(project, done, {}, {}) == (
        "list: ralph/tasks.json has stories (2 to do, 1 done); ask before you change or remove any"
    )


def test_a_faulty_list_is_not_for_replacing_either(project: Path) -> None:
    assert listed(project, {"priority": "high"}, {"passes": 1}) == (
        "list: ralph/tasks.json has faults (2); ask before you replace it"
    )


def test_the_projects_checks_are_named(project: Path) -> None:
    (project / "go.mod").write_text("")
    assert said(project)[2] == "verifyCommands: go test ./...; go vet ./..."


def test_without_the_folder_init_comes_first(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    done = plan(root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"ralph: there is no folder ralph/ in {root}",
        f"hint: run init first: {shlex.quote(str(REPOSITORY / 'scripts' / 'ralph-init.sh'))}",
    ]
    assert list(root.iterdir()) == []


def test_a_prd_that_cannot_be_read_is_named(project: Path) -> None:
    (project / "ralph" / "prd.md").unlink()
    (project / "ralph" / "prd.md").symlink_to("/etc/hostname")
    done = plan(project)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "ralph: ralph/prd.md is reached through a link or a file",
        "hint: use real folders and files",
    ]


def test_no_plan_under_a_loop_that_works_but_under_one_that_is_paused(tmp_path: Path) -> None:
    project = HostileProject(tmp_path)
    environment = project.environment
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        done = plan(project.root, **environment)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            f"ralph: a loop runs in {project.root}",
            f"hint: {RALPH} pause or {RALPH} cancel, then plan",
        ]
        [state] = project.state.glob("ralph/project-*/runs/*")
        own = plan(project.root, **environment, RALPH_RUN_ID=state.name)
        assert own.stderr.startswith("ralph: this is the loop's own agent calling")
        loop.pause()
        done = plan(project.root, **environment)
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, DERIVATION)

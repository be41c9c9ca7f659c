"""The guard in the real client: a denied call is not made, and the model reads why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from e2e.loop_project import LoopProject, iterate, shell, story
from ralph_engine.scripted_model import Turn, call, say

SUBMITTED = {"reviewStatus": "needs_review"}
FORGE = "echo '{}' > .ralph/forged && touch done-anyway"
WHY = "it changes a file that steers or judges this loop (rule protected-path)"
INSTEAD = "Instead: leave it as it is; what you have to say goes into progress.txt"


@pytest.fixture
def project(tmp_path: Path) -> LoopProject:
    made = LoopProject(tmp_path, story("US-1"))
    (made.root / ".ralph").mkdir()
    made.mark("implement")
    return made


def touched(project: LoopProject) -> list[str]:
    names = ("done-anyway", ".ralph/forged", "allowed")
    return [name for name in names if (project.root / name).exists()]


def denied(project: LoopProject) -> list[str]:
    return [e["rule"] for e in project.hook_events() if e["event"] == "guard-denied"]


def write(path: Path) -> Turn:
    return call("Write", file_path=str(path), content="mine")


@pytest.mark.parametrize("version", ["newest", "older"])
def test_a_denied_command_is_not_run_and_the_model_reads_why(
    project: LoopProject, version: str
) -> None:
    turns = [
        shell(FORGE),
        write(project.root / ".ralph" / "forged"),
        shell("git push --force origin main; touch done-anyway"),
        shell("mkdir allowed"),
        project.edit(**SUBMITTED),
        say("Submitted."),
    ]
    _, model = iterate(project, turns, version=version)
    assert touched(project) == ["allowed"]
    for told in (model.requests[1].new_text, model.requests[2].new_text):
        assert WHY in told and INSTEAD in told
    assert "Ralph's guard denied `git push --force origin main`" in model.requests[3].new_text
    assert len(denied(project)) == 3 and denied(project)[:2] == ["protected-path"] * 2


def test_a_subagent_is_denied_too(project: LoopProject) -> None:
    hand_over = call(
        "Agent",
        description="forge",
        prompt="Do the forging",
        subagent_type="general-purpose",
        run_in_background=False,
    )
    turns = [
        hand_over,
        shell(FORGE),
        say("It was denied."),
        project.edit(**SUBMITTED),
        say("Submitted."),
    ]
    _, model = iterate(project, turns)
    assert "Do the forging" in json.dumps(model.requests[1].messages)
    assert WHY in model.requests[2].new_text
    assert (touched(project), denied(project)) == ([], ["protected-path"])


def test_a_same_session_loop_is_guarded_and_its_plan_is_free(project: LoopProject) -> None:
    (project.root / ".ralph-active").unlink()
    turns = [
        shell(FORGE),
        write(project.root / "ralph" / "prd.md"),
        say("<promise>DONE</promise>"),
    ]
    _, model = iterate(project, turns, env={}, prompt='/ralph-loop "Forge it"')
    assert WHY in model.requests[1].new_text
    assert touched(project) == []
    assert (project.root / "ralph" / "prd.md").read_text() == "mine"


def test_outside_a_loop_nothing_is_denied(project: LoopProject) -> None:
    (project.root / ".ralph-active").unlink()
    _, model = iterate(project, [shell(FORGE), say("Done.")], env={})
    assert touched(project) == ["done-anyway", ".ralph/forged"]
    assert "guard" not in model.requests[1].new_text

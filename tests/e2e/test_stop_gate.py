"""The gate in the real client: a fresh-context iteration ends only as its mode allows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from e2e.loop_project import LoopProject, blocks, iterate, shell, story
from ralph_engine.scripted_model import say

APPROVED = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "done"}
SUBMITTED = {"reviewStatus": "needs_review"}


@pytest.mark.parametrize("version", ["newest", "older"])
def test_an_implementer_that_approves_its_own_story_is_told_and_repairs(
    tmp_path: Path, version: str
) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    project.mark("implement")
    turns = [project.edit(**APPROVED), say("Done."), project.edit(**SUBMITTED), say("Submitted.")]
    run, model = iterate(project, turns, version=version)
    assert run.result["result"] == "Submitted."
    [told] = blocks(model)
    assert "only review iterations approve" in told
    assert "Story US-1" in told and 'reviewStatus null -> "approved"' in told
    assert [event["event"] for event in project.hook_events()] == ["gate-blocked", "gate-passed"]


@pytest.mark.parametrize(
    ("mode", "before", "after"),
    [
        ("implement", {}, SUBMITTED),
        ("review", {"reviewStatus": "needs_review"}, APPROVED),
        (
            "review",
            {"reviewStatus": "needs_review"},
            {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "No tests"},
        ),
        (
            "review-fix",
            {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "No tests"},
            {"reviewStatus": "needs_review", "reviewCount": 1, "reviewFeedback": ""},
        ),
    ],
)
def test_legal_turns_of_every_mode_pass(
    tmp_path: Path, mode: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    project = LoopProject(tmp_path, story("US-1", **before), story("US-2"))
    project.mark(mode)
    run, model = iterate(project, [project.edit(**after), say("Done.")])
    assert run.result["result"] == "Done."
    assert blocks(model) == []
    assert [event["event"] for event in project.hook_events()] == ["gate-passed"]


def test_a_reviewer_without_a_verdict_is_held_until_it_gives_one(tmp_path: Path) -> None:
    project = LoopProject(tmp_path, story("US-1", reviewStatus="needs_review"))
    project.mark("review")
    run, model = iterate(project, [say("Looks good."), project.edit(**APPROVED), say("Approved.")])
    assert run.result["result"] == "Approved."
    assert "has no verdict yet" in blocks(model)[0]


def test_a_dirty_tree_is_held_until_committed_but_old_dirt_is_left_alone(tmp_path: Path) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    (project.root / "notes of a person.txt").write_text("mine\n")
    project.mark("implement")
    work = shell("echo code > new.py")
    commit = shell("git add new.py && git commit -qm 'feat: [US-1] - code'")
    run, model = iterate(project, [work, say("Done."), commit, say("Committed.")])
    assert run.result["result"] == "Committed."
    [told] = blocks(model)
    assert "- new.py" in told and "progress.txt" in told
    assert "Leave these, they were here before the run: notes of a person.txt" in told
    assert (project.root / "notes of a person.txt").read_text() == "mine\n"
    assert "notes of a person.txt" in project.git("status", "--porcelain")


def test_after_its_own_limit_the_hook_lets_go_and_records_it(tmp_path: Path) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    project.mark("implement")
    stubborn = [project.edit(**APPROVED), *[say(f"Done, really ({n}).") for n in range(7)]]
    run, model = iterate(project, stubborn)
    assert run.result["result"] == "Done, really (6)."
    assert len(blocks(model)) == 6
    events = [event["event"] for event in project.hook_events()]
    assert events == ["gate-blocked"] * 6 + ["gate-exhausted"]


def test_a_prompt_goal_and_a_request_to_wait_end_at_once(tmp_path: Path) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    project.mark("implement", goal="prompt")
    _, model = iterate(project, [project.edit(**APPROVED), say("Done.")])
    assert blocks(model) == []
    project.begin_session()
    project.mark("implement")
    wait = shell("echo 'which database?' > ralph/WAIT")
    _, model = iterate(project, [wait, say("I need an answer.")])
    assert blocks(model) == []


@pytest.mark.parametrize(
    "why",
    ["no marker", "stale", "another run", "another session", "no session id", "person", "off"],
)
def test_a_session_that_is_not_the_loops_is_never_touched(tmp_path: Path, why: str) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    env = project.environment()
    if why == "stale":
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        project.mark("implement", runId=None, sessionId=None, pid=ended.pid)
    elif why != "no marker":
        changed = {"another session": {"sessionId": "s-2"}, "no session id": {"sessionId": ""}}
        project.mark("implement", **changed.get(why, {}))
    env = {
        "person": {},
        "off": project.environment(RALPH_ACTIVE="0"),
        "another run": project.environment(RALPH_RUN_ID="run-of-yesterday"),
    }.get(why, env)
    run, model = iterate(project, [project.edit(commit=False, **APPROVED), say("Bye.")], env=env)
    assert run.result["result"] == "Bye."
    assert blocks(model) == []
    assert project.hook_events() == []
    assert not (project.root / ".ralph").exists()


def test_a_session_of_the_loop_is_told_where_it_is(tmp_path: Path) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    project.mark("implement")
    _, model = iterate(project, [say("Nothing to do.")])
    line = "Ralph loop: iteration 3 of 15, mode implement, story US-1."
    assert line in model.requests[0].new_text


@pytest.mark.parametrize("version", ["newest", "older"])
def test_session_hooks_fire(tmp_path: Path, version: str) -> None:
    project = LoopProject(tmp_path, story("US-1"))
    project.mark("implement")
    temporary = tmp_path / "temporary"
    alerts = temporary / f"claude-context-alerts-{project.session}"
    alerts.mkdir(parents=True)
    (alerts / "50").touch()
    env = project.environment(TMPDIR=str(temporary))
    _, model = iterate(project, [say("Hello.")], env=env, version=version)
    assert "Ralph loop: iteration 3 of 15" in model.requests[0].new_text
    assert not alerts.exists()

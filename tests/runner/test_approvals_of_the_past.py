"""Approvals that this runner never saw, edits of a person, and `verify` on all of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from runner.hostile_project import ENGINE, HostileProject, story
from runner.test_users_things import HONEST

DONE = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "long ago"}


def verify(project: HostileProject) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(ENGINE), "verify"],
        cwd=project.root,
        env=project.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout


def test_an_approval_nobody_saw_is_reviewed_again(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1", **DONE))
    code, words = verify(project)
    assert code == 1 and "OPEN US-1 Story US-1: passes, but no review in the ledger" in words
    ended = project.run(HONEST, iterations=3)
    assert ended.code == 0, ended.screen
    assert "never seen approved: ['US-1']" in ended.screen
    assert "complete: 1 of 1 stories verified" in ended.screen
    assert project.stories()["US-1"]["reviewCount"] == 2
    code, words = verify(project)
    assert code == 0 and "ok   US-1 Story US-1: approved by the review of " in words


def test_a_trusted_approval_is_counted_apart(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1", **DONE))
    ended = project.run(HONEST, "--trust-approved")
    assert ended.code == 0
    assert "0 of 1 stories verified, 1 not seen by the runner (US-1)" in ended.screen
    assert "not seen by the runner" in verify(project)[1]


def test_criteria_that_a_person_changed_are_reviewed_again(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    assert project.run(HONEST, iterations=3).code == 0
    document = project.document()
    document["userStories"][0]["acceptanceCriteria"].append("and it is fast")
    (project.root / "ralph" / "tasks.json").write_text(json.dumps(document))
    project.git("commit", "-qam", "a person wants more")
    ended = project.run(HONEST, iterations=3)
    assert ended.code == 0
    assert [e["event"] for e in project.verdicts()] == ["submitted", "approved", "approved"]


def test_a_finished_list_needs_no_agent(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    assert project.run(HONEST, iterations=3).code == 0
    again = project.run("false", iterations=1)
    assert again.code == 0 and "iteration" not in again.screen.split("of 1")[-1]


def test_a_broken_ledger_is_not_believed(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    assert project.run(HONEST, iterations=3).code == 0
    [ledger] = project.state.glob("ralph/project-*/ledger.jsonl")
    ledger.write_text(ledger.read_text().replace('"submitted"', '"approved"', 1))
    ended = project.run(HONEST)
    assert ended.code == 2
    assert "line 3, does not follow from the line before it" in ended.screen


def test_a_persons_edit_in_mid_iteration_is_kept_and_named(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    os.mkfifo(project.outside / "go")
    program = project.outside / "waits.sh"
    program.write_text('read line < "$OUTSIDE/go"; echo hm\n')
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "-n", "1"]
    runner = subprocess.Popen(
        [*argv, "--agent", f"sh '{program}'"],
        cwd=project.root,
        env=project.environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    edited = json.dumps({**json.loads(project.before), "verifyCommands": ["true"]})
    with (project.outside / "go").open("w") as go:
        (project.root / "ralph" / "tasks.json").write_text(edited)
        go.write("on\n")
    _, screen = runner.communicate(timeout=60)
    assert project.document() == json.loads(project.before)
    [kept] = project.kept()
    assert kept.read_text() == edited
    assert kept.name in screen and "was this you?" in screen


@pytest.mark.parametrize("goal", [(), ("-p", "Go")])
def test_a_dry_run_tells_and_touches_nothing(tmp_path: Path, goal: tuple[str, ...]) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    before = project.git("for-each-ref", "--format=%(objectname) %(refname)")
    ended = project.run("sh -c 'touch ran'", "--dry-run", *goal)
    assert ended.code == 0
    assert "dry run: sh -c 'touch ran'" in ended.screen
    assert not (project.root / "ran").exists()
    assert project.git("for-each-ref", "--format=%(objectname) %(refname)") == before
    assert project.git("status", "--porcelain") == ""
    assert ("first: implement US-1" in ended.screen) is (goal == ())


def test_ten_thousand_stories_stay_usable(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, *[story(f"US-{n}", priority=n) for n in range(10_000)])
    ended = project.run(HONEST, iterations=2)
    assert ended.code == 1
    assert [e["event"] for e in project.verdicts()] == ["submitted", "approved"]


def test_a_dry_run_leaves_branch_list_and_ledger_alone(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1", **DONE))
    document = {**project.document(), "branchName": "not-yet-there"}
    (project.root / "ralph" / "tasks.json").write_text(json.dumps(document))
    project.git("commit", "-qam", "another branch")
    head = project.git("rev-parse", "HEAD")
    assert project.run(HONEST, "--dry-run", "--trust-approved").code == 0
    assert project.git("rev-parse", "HEAD") == head
    assert project.git("branch", "--show-current") == "main"
    assert (project.ledger(), project.journal()) == ([], [])

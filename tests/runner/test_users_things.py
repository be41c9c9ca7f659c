"""What belongs to the person is as it was, whatever the loop meets."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from runner.hostile_project import REPOSITORY, HostileProject, agent, story

HONEST = shlex.join([sys.executable, str(REPOSITORY / "tests/fixtures/agents/honest.py")])


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def test_old_dirt_is_neither_touched_nor_committed(project: HostileProject) -> None:
    (project.root / ".env").write_text("KEY=mine\n")
    (project.root / "app.py").write_text("ANSWER = 43  # mine, not finished\n")
    ended = project.run(HONEST, "--allow-dirty", iterations=5)
    assert ended.code == 0, ended.screen
    assert (project.root / ".env").read_text() == "KEY=mine\n"
    assert (project.root / "app.py").read_text() == "ANSWER = 43  # mine, not finished\n"
    assert set(project.git("status", "--porcelain").splitlines()) == {"M app.py", "?? .env"}
    touched = project.git("log", "--name-only", "--format=", f"{project.start}..HEAD")
    assert not {".env", "app.py"} & set(touched.splitlines())


def test_a_modified_tracked_file_needs_a_word_of_the_person(project: HostileProject) -> None:
    (project.root / "app.py").write_text("ANSWER = 43\n")
    ended = project.run(HONEST)
    assert ended.code == 2
    assert "uncommitted changes in app.py; commit, or --allow-dirty" in ended.screen
    assert project.ledger() == []


def test_a_pre_commit_hook_that_refuses_does_not_stop_a_repair(project: HostileProject) -> None:
    hook = project.root / ".git" / "hooks" / "pre-commit"
    hook.write_text('#!/bin/sh\n[ "$GIT_AUTHOR_NAME" = Agent ]\n')
    hook.chmod(0o755)
    ended = project.run(agent("approves_at_once"), iterations=1)
    assert ended.code == 1
    assert project.git("log", "-1", "--format=%an %s").startswith("Ralph Loop ralph: undo")
    assert project.git("status", "--porcelain") == ""


def test_a_signing_program_that_hangs_is_not_asked(project: HostileProject, tmp_path: Path) -> None:
    gpg = tmp_path / "gpg"
    gpg.write_text(f"#!/bin/sh\ntouch '{tmp_path}/asked'\nexec sleep 600\n")
    gpg.chmod(0o755)
    project.git("config", "gpg.program", str(gpg))
    program = tmp_path / "agent.sh"
    program.write_text("git config commit.gpgsign true; echo '{}' > ralph/tasks.json; echo done\n")
    ended = project.run(f"sh '{program}'", iterations=1)
    assert ended.code == 1
    assert project.document() == json.loads(project.before)
    assert not (tmp_path / "asked").exists()


def test_an_ignored_list_is_refused(project: HostileProject) -> None:
    (project.root / ".gitignore").write_text("ralph/\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "ignore")
    ended = project.run(HONEST)
    assert ended.code == 2
    assert "ralph/tasks.json is ignored by git; take it out of .gitignore" in ended.screen


def test_a_linked_worktree_is_a_project_like_any_other(
    project: HostileProject, tmp_path: Path
) -> None:
    project.git("switch", "-q", "-c", "elsewhere")
    project.git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    project.root = tmp_path / "linked"
    ended = project.run(HONEST, iterations=5)
    assert ended.code == 0, ended.screen
    assert project.stories()["US-1"]["passes"] is True
    assert project.git("status", "--porcelain") == ""


def test_a_branch_without_a_commit_is_refused(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    project.git("checkout", "-q", "--orphan", "new")
    ended = project.run(HONEST)
    assert ended.code == 2
    assert "the repository has no commit yet; git add -A && git commit" in ended.screen


def test_a_folder_without_git_is_refused(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    subprocess.run(["rm", "-rf", project.root / ".git"], check=True)
    ended = project.run(HONEST)
    assert ended.code == 2 and "is not in a git repository; git init" in ended.screen


def test_another_branch_is_refused_and_a_missing_one_made(project: HostileProject) -> None:
    project.git("branch", "other")
    project.git("switch", "-q", "other")
    refused = project.run(HONEST)
    assert refused.code == 2
    assert (
        "the branch is other, the list wants main; git switch main,"
        " or give branchName another name in the task list"
    ) in refused.screen
    project.git("branch", "-q", "-D", "main")
    assert project.run(HONEST, iterations=5).code == 0
    assert project.git("branch", "--show-current") == "main"


def test_the_loops_own_files_are_excluded_where_init_did_not(project: HostileProject) -> None:
    subprocess.run(["rm", "-rf", project.root / ".git" / "info"], check=True)
    assert project.run(HONEST, iterations=5).code == 0
    excluded = (project.root / ".git" / "info" / "exclude").read_text().split()
    assert {"/.ralph-active", "/ralph/DONE", "/ralph/WAIT"} <= set(excluded)

"""Ways to look finished that leave no mark in the list: each is seen by the runner."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from runner.hostile_project import HostileProject, story
from runner.test_users_things import HONEST

HIDES = "echo 'ANSWER = 0' > app.py; git update-index {flag} app.py"
REPLACES = (
    "echo 'ANSWER = 0' > app.py; git add app.py; "
    'new=$(git commit-tree -p HEAD -m x "$(git write-tree)"); git replace HEAD "$new"'
)


def after_honest_work(project: HostileProject, deed: str) -> str:
    """The honest agent, then in a review the deed."""
    program = project.outside / "deed.sh"
    program.write_text(f"{HONEST}\ngrep -q '\"approved\"' ralph/tasks.json || exit 0\n{deed}\n")
    return f"sh '{program}'"


@pytest.mark.parametrize(
    "deed",
    [HIDES.format(flag="--assume-unchanged"), HIDES.format(flag="--skip-worktree"), REPLACES],
)
def test_an_edit_hidden_from_git_status_is_no_clean_tree(tmp_path: Path, deed: str) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    ended = project.run(after_honest_work(project, deed), iterations=2)
    assert ended.code == 1, ended.screen
    assert project.stories()["US-1"]["reviewStatus"] == "changes_requested"
    assert "app.py" in project.stories()["US-1"]["reviewFeedback"]


def test_what_a_person_hid_before_the_run_is_theirs(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    project.git("update-index", "--assume-unchanged", "app.py")
    assert project.run(HONEST, iterations=5).code == 0


def test_the_name_of_the_branch_stays(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    program = project.outside / "renames.sh"
    rename = "sed -i 's/\"main\"/\"other\"/' ralph/tasks.json"
    program.write_text(f"{rename}; git commit -qam x; echo hm\n")
    ended = project.run(f"sh '{program}'", iterations=1)
    assert ended.code == 1
    assert project.violations() == {"branch-name"}
    assert project.document() == json.loads(project.before)


def test_a_ledger_that_became_a_folder_is_told_with_the_copy(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    program = project.outside / "buries.sh"
    ledger = f"{project.state}/ralph/project-*/ledger.jsonl"
    program.write_text(f"{HONEST}\nfor f in {ledger}; do rm \"$f\"; mkdir \"$f\"; done\n")
    first = project.run(HONEST, iterations=1)
    ended = project.run(f"sh '{program}'", iterations=1)
    assert (first.code, ended.code) == (1, 2)
    assert "was changed by someone else during the run" in ended.screen
    [copy] = project.state.glob("ralph/project-*/ledger.jsonl.kept-*")
    assert json.loads(copy.read_text().splitlines()[1])["event"] == "submitted"

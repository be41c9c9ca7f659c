"""The reviewer is told of changed files that few stories are about."""

from __future__ import annotations

from pathlib import Path

from runner.hostile_project import HostileProject, story
from runner.live_loop import HONEST

CHANGES = "echo 'All rights reserved.' > LICENSE; echo '*.py -diff' > .gitattributes"
TOLD = (
    "The runner looked at the files that {range} changes. Few stories are about these:\n"
    "- .gitattributes: new\n"
    "- LICENSE: changed\n"
    "One that the story does not ask for is a reason to request changes."
)


def test_the_reviewer_is_told_of_what_is_beside_the_work(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    (project.root / "LICENSE").write_text("Free for all.\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "mine")
    path = project.outside / "agent.sh"
    once = f"test -e .git/once || {{ {CHANGES}; git add -A; git commit -qm wip; touch .git/once; }}"
    path.write_text(f"{once}\nexec {HONEST}\n")
    before = project.git("rev-parse", "HEAD")[:12]
    ended = project.run(f"sh '{path}'", iterations=3)
    assert ended.code == 0, ended.screen
    head = project.git("rev-parse", ":/^feat")[:12]
    assert TOLD.format(range=f"{before}..{head}") in project.prompt(2)
    assert "Few stories" not in project.prompt(1)

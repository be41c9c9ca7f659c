"""Junk in commits: the reviewer is pointed to it, the journal and the screen name it."""

from __future__ import annotations

from pathlib import Path

import pytest
from runner.hostile_project import HostileProject, story
from runner.live_loop import HONEST

JUNK = "mkdir -p node_modules/a; echo 1 > node_modules/a/b.js; head -c 600000 /dev/zero > junk.bin"
FOUND = ["node_modules/: 1 files that a program makes", "junk.bin: 600000 bytes"]
ASKED = (
    "One that the work does not need is a reason to request changes: out of git, into .gitignore."
)


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def agent(project: HostileProject, before: str) -> str:
    path = project.outside / "agent.sh"
    path.write_text(f"{before}\nexec {HONEST}\n")
    return f"sh '{path}'"


def notices(project: HostileProject) -> list[tuple[str, str]]:
    return [(e["rule"], e["text"]) for e in project.journal() if e["event"] == "notice"]


def test_the_reviewer_is_told_of_all_that_he_judges(project: HostileProject) -> None:
    """Also of what an iteration before the submission committed."""
    once = "touch .git/once; echo Tomorrow.; exit"
    first = f"test -e .git/once || {{ {JUNK}; git add -A; git commit -qm wip; {once}; }}"
    before = project.git("rev-parse", "HEAD")[:12]
    ended = project.run(agent(project, first), iterations=4)
    assert ended.code == 0, ended.screen
    head = project.git("rev-parse", ":/^feat")[:12]
    lines = "".join(f"- {line}\n" for line in FOUND)
    told = (
        f"The runner looked at the files that {before}..{head} adds. These seem to belong"
        f" in no commit:\n{lines}{ASKED}"
    )
    assert project.prompt(3).endswith(told)
    assert "no commit" not in project.prompt(2)
    words = f"Committed, and seems to belong in no commit: {FOUND[0]}, and 1 more."
    assert notices(project) == [("junk-committed", words)]
    assert f"[ralph] {words}" in ended.screen.splitlines()
    [page] = project.kept("report.html")
    assert FOUND[0] in page.read_text()


def test_what_was_there_before_and_what_left_again_is_nobodys_junk(project: HostileProject) -> None:
    for name in ("grows.log", "moves.log"):
        (project.root / name).write_text("of a person\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "mine")
    changes = (
        "test -e .git/once || { echo more >> grows.log; git mv moves.log moved.log; echo > x.log;"
    )
    changes += " git add -A; git commit -qm wip; git rm -q x.log; git commit -qm back;"
    changes += " touch .git/once; }"
    ended = project.run(agent(project, changes), iterations=3)
    assert ended.code == 0, ended.screen
    assert notices(project) == []
    assert "no commit" not in project.prompt(2)

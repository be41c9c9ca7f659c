"""The guard where what is on the disk decides."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from guarded import ALLOWED, a_place, judged
from ralph_engine.core import guard_verdict
from ralph_engine.core.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "home" / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("")
    return a_place(root, environment={"HOME": str(tmp_path / "home"), "PATH": "/bin"})


@pytest.mark.parametrize(
    "command",
    [
        *("git checkout src", "git checkout src/app.py", "git -C src checkout app.py"),
        *("git checkout src/", 'git checkout "src/$NOTHING"', "git checkout -q src"),
    ],
)
def test_a_checkout_of_what_is_there_is_no_branch(place: Place, command: str) -> None:
    assert judged(command, place) == ("git-discard-changes", True)
    assert judged(command, a_place()) == ALLOWED
    assert judged("git switch src", place) == ALLOWED


@pytest.mark.parametrize(
    "command",
    ["git checkout -bx src", "git checkout -qb src", "git checkout -Bx src", "git checkout -d src"],
)
def test_what_is_said_to_be_a_branch_is_one(place: Place, command: str) -> None:
    assert judged(command, place) == ALLOWED


def written(place: Place, *paths: str) -> list[str]:
    """The rules that keep a file tool from writing there, in the home folder."""
    found = [guard_verdict.of_write(f"{place.home}/{path}", place) for path in paths]
    return [finding.rule.name for finding in found if finding]


def part_of(repository: Path) -> Place:
    """A loop in a folder of a larger repository."""
    for path in (".git/hooks/x", ".ralph-active", "lib/x.ts", "packages/a/x.ts", "other.ts"):
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text("")
    home = repository.parent if repository.name == "mono" else repository
    return a_place(repository / "packages/a", environment={"HOME": str(home), "PATH": "/bin"})


@pytest.mark.parametrize(
    "command",
    ["sed -i s/a/b/ ../../lib/x.ts", "rm ../../lib/x.ts", "git mv ../../lib ../b", "rm -rf ../b"],
)
def test_the_whole_repository_is_the_project(tmp_path: Path, command: str) -> None:
    place = part_of(tmp_path / "mono")
    assert judged(command, place) == ALLOWED
    assert written(place, "mono/lib/x.ts", "mono/packages/a/x.ts") == []


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("rm -rf ../..", "delete-everything"),
        ("rm -rf ../../*", "delete-everything"),
        ("rm -rf ../../packages", "delete-everything"),
        ("rm ../../../x", "delete-outside"),
        ("rm -rf ../../.git", "delete-git"),
        ("echo x > ../../.git/hooks/pre-commit", "protected-path"),
        ("rm ../../.ralph-active", "protected-path"),
        ("echo x > .ralph-active", "protected-path"),
        ("tee ../../.claude/settings.json < x", "protected-path"),
        ("rm ../../ralph/prd.md", "protected-path"),
    ],
)
def test_what_steers_a_loop_stays_out_of_reach(tmp_path: Path, command: str, rule: str) -> None:
    assert judged(command, part_of(tmp_path / "mono")).rule == rule


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf ../b/.ralph",
        "rm ../b/.ralph-active",
        "rm -f ../b/.ralph-act*",
        "echo x > ../b/.ralph-active",
        "echo x > ../b/ralph/prd.md",
        "echo x > ../B/ralph/prompt.md",
        "cd ../b && tee .claude/settings.json < x",
        "cp settings.local.json ../b/.claude/",
        "rm -rf ../b",
        "mv ../b ../c",
    ],
)
def test_another_loop_of_the_repository_is_left_alone(tmp_path: Path, command: str) -> None:
    place = part_of(tmp_path / "Work" / "mono")
    (tmp_path / "Work/mono/packages/b/.ralph").mkdir(parents=True)
    assert judged(command, place) == ("protected-path", True)
    assert written(place, "mono/packages/b/.ralph/settings.json") == ["protected-path"]
    assert judged(command.replace("../b", "lib").replace("../B", "lib"), place) == ALLOWED


@pytest.mark.parametrize(
    "command",
    ["rm -rf ../c/ralph", "rm -r ../c/.claude", "echo x > ../b/ralph/tasks.json", "ls ../b/.ralph"]
    + ["npx prettier --write '../**/*.md'"],
)
def test_what_steers_no_other_loop_is_part_of_the_project(tmp_path: Path, command: str) -> None:
    assert judged(command, part_of(tmp_path / "mono")) == ALLOWED


@pytest.mark.parametrize(
    "command",
    [
        *("sed -i s/x/y/ ../docs/*/*.md", "rm -f ../b/*/*.md"),
        'for f in ../docs/*/*.md; do sed -i s/a/b/ "$f"; done',
    ],
)
def test_a_pattern_is_filled_in_by_what_is_there(tmp_path: Path, command: str) -> None:
    place = part_of(tmp_path / "mono")
    assert judged(command, place) == ALLOWED
    (tmp_path / "mono/packages/b/.ralph").mkdir(parents=True)
    (tmp_path / "mono/packages/docs/.ralph").mkdir(parents=True)
    assert judged(command, place) == ("protected-path", True)


@pytest.mark.parametrize("names", ["*{0..63}{0..3}.ts", "x{0..63}{0..3}.ts", ".claude/x{0..99}"])
def test_a_path_of_many_folders_is_judged_in_time(tmp_path: Path, names: str) -> None:
    command = f"rm -f ../b/{'d/' * 400}{names}; echo x > ralph/prd.md"
    place = part_of(tmp_path / "mono")
    started = time.process_time()
    assert judged(command, place) == ("protected-path", True)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "command",
    ["git init ..", "git -C .. init -q", "cd .. && git init", "git init -b main ~", "git init /"],
)
def test_the_project_grows_by_no_repository_around_it(place: Place, command: str) -> None:
    assert judged(command, place) == ("protected-path", True)


@pytest.mark.parametrize(
    "command", ["git init", "git init -b main .", "git init src", "git init ../new"]
)
def test_a_repository_may_be_made_anywhere_else(place: Place, command: str) -> None:
    assert judged(command, place) == ALLOWED


def test_a_home_that_is_a_repository_is_no_project(tmp_path: Path) -> None:
    place = part_of(tmp_path / "home")
    assert judged("rm ../../lib/x.ts", place).rule == "delete-outside"
    assert written(place, "other.ts", "packages/a/x.ts") == ["overwrite-outside"]


NOTES = [".claude/plans/a.md", ".claude/projects/-x/memory/MEMORY.md"]
OTHERS = [".claude/projects/-x/1.jsonl", ".claude/CLAUDE.md", ".claude.json", "plans/a.md"]


@pytest.mark.parametrize("folder", [".claude", "dotfiles/claude"])
def test_the_clients_own_notes_can_be_written_but_not_what_lies_beside(
    place: Place, folder: str
) -> None:
    home = Path(place.home)
    (home / folder).mkdir(parents=True)
    if folder != ".claude":
        (home / ".claude").symlink_to(home / folder)
    for name in [*NOTES, *OTHERS]:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("")
    assert written(place, *NOTES) == []
    assert judged("echo x > ~/.claude/plans/a.md", place) == ALLOWED
    assert written(place, *OTHERS) == ["overwrite-outside"] * len(OTHERS)
    assert judged("rm ~/.claude/plans/a.md", place).rule == "delete-outside"


def test_a_note_that_is_a_link_is_what_it_leads_to(place: Place) -> None:
    home = Path(place.home)
    (home / "mine.txt").write_text("")
    (home / ".claude" / "plans").mkdir(parents=True)
    (home / ".claude" / "plans" / "a.md").symlink_to(home / "mine.txt")
    assert written(place, ".claude/plans/a.md") == ["overwrite-outside"]

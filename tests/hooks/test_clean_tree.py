"""A stop with uncommitted work: what is listed, what is left alone, what is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hooks.hook_process import EMPTY, IDLE, Project
from ralph_engine.core import clean_tree, fingerprint
from rules import KINDS, Case, approve, task_list, waiting

LIST = json.dumps(EMPTY)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "project", tmp_path / "home")
    project.init()
    project.write("kept.txt", "one\n")
    project.write("other.txt", "one\n")
    project.commit()
    project.mark(IDLE.marker("full"))
    return project


def modified(project: Project) -> None:
    project.write("kept.txt", "two\n")


def untracked(project: Project) -> None:
    project.write("src/new.py", "two\n")


def staged(project: Project) -> None:
    project.write("src/new.py", "two\n")
    project.git("add", "src/new.py")


def staged_and_changed_again(project: Project) -> None:
    staged(project)
    project.write("src/new.py", "three\n")


def deleted(project: Project) -> None:
    (project.root / "kept.txt").unlink()


def deleted_in_the_index(project: Project) -> None:
    project.git("rm", "-q", "kept.txt")


def renamed(project: Project) -> None:
    project.git("mv", "kept.txt", "moved.txt")


def made_executable(project: Project) -> None:
    (project.root / "kept.txt").chmod(0o755)


def linked(project: Project) -> None:
    (project.root / "link").symlink_to("kept.txt")


def conflicted(project: Project) -> None:
    """In the middle of a merge, with one file in conflict and one that merged."""
    project.git("switch", "-q", "-c", "theirs")
    project.write("kept.txt", "theirs\n")
    project.write("other.txt", "theirs\n")
    project.commit()
    project.git("switch", "-q", "main")
    project.write("kept.txt", "ours\n")
    project.commit()
    with pytest.raises(subprocess.CalledProcessError):
        project.git("merge", "-q", "theirs")


def list_not_committed(project: Project) -> None:
    project.write("ralph/tasks.json", LIST + "\n")


STATES: list[tuple[Callable[[Project], None], list[str]]] = [
    (modified, ["kept.txt"]),
    (untracked, ["src/new.py"]),
    (staged, ["src/new.py"]),
    (staged_and_changed_again, ["src/new.py"]),
    (deleted, ["kept.txt"]),
    (deleted_in_the_index, ["kept.txt"]),
    (renamed, ["kept.txt", "moved.txt"]),
    (made_executable, ["kept.txt"]),
    (linked, ["link"]),
    (conflicted, ["kept.txt", "other.txt"]),
    (list_not_committed, ["ralph/tasks.json"]),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("make", "listed"), [pytest.param(*s, id=s[0].__name__) for s in STATES])
def test_uncommitted_work_blocks_until_it_is_committed(
    make: Callable[[Project], None], listed: list[str], kind: str, project: Project
) -> None:
    project.mark(IDLE.marker(kind))
    make(project)
    answer = project.stop()
    assert sorted(answer.listed) == listed
    assert answer.reason.startswith("Not committed:")
    assert answer.reason.endswith("Then stop again.")
    project.commit()
    assert project.stop().allowed


@pytest.mark.parametrize("kind", KINDS)
def test_a_clean_tree_is_allowed(kind: str, project: Project) -> None:
    project.mark(IDLE.marker(kind))
    assert project.stop().allowed
    assert project.events()[-1]["event"] == "gate-passed"


def test_the_task_list_speaks_before_the_tree(project: Project) -> None:
    modified(project)
    project.write("ralph/tasks.json", "{}")
    assert "Not committed" not in project.stop().reason


def test_a_first_commit_not_made_yet_lists_everything(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "home")
    project.git("init", "-q", "--template=", "-b", "main")
    project.write("ralph/tasks.json", LIST)
    project.mark(IDLE.marker("full"))
    assert project.stop().listed == ["ralph/tasks.json"]


def test_an_ignored_file_is_not_listed(project: Project) -> None:
    project.write(".gitignore", "*.log\n")
    project.commit()
    project.write("build.log", "two\n")
    assert project.stop().allowed


def with_baseline(project: Project, *names: str, word: str = "") -> None:
    """The run starts now: these are uncommitted already."""
    root = str(project.root)
    baseline = {name: word or fingerprint.of(root, name) for name in names}
    project.mark({**IDLE.marker("full"), "baseline": baseline})


def test_what_was_there_before_the_run_and_is_the_same_is_no_reason_to_block(
    project: Project,
) -> None:
    modified(project)
    untracked(project)
    with_baseline(project, "kept.txt", "src/new.py")
    assert project.stop().allowed


def test_what_was_there_before_is_named_to_be_left_alone(project: Project) -> None:
    modified(project)
    with_baseline(project, "kept.txt")
    project.write("mine.txt", "two\n")
    answer = project.stop()
    assert answer.listed == ["mine.txt"]
    assert "Leave these, they were here before the run: kept.txt." in answer.reason


def test_what_was_there_before_and_changed_again_is_listed(project: Project) -> None:
    modified(project)
    with_baseline(project, "kept.txt")
    project.write("kept.txt", "three\n")
    answer = project.stop()
    assert answer.listed == ["kept.txt"]
    assert "here before" not in answer.reason


def test_a_file_deleted_before_the_run_may_stay_deleted(project: Project) -> None:
    deleted(project)
    with_baseline(project, "kept.txt")
    assert project.stop().allowed
    project.write("kept.txt", "back again\n")
    assert project.stop().listed == ["kept.txt"]


def test_a_baseline_of_any_is_left_alone_whatever_it_becomes(project: Project) -> None:
    modified(project)
    with_baseline(project, "kept.txt", word="any")
    project.write("kept.txt", "three\n")
    assert project.stop().allowed
    deleted(project)
    assert project.stop().allowed


def test_a_baseline_speaks_for_its_own_path_only(project: Project) -> None:
    modified(project)
    with_baseline(project, "kept.txt")
    project.write("other.txt", "two\n")
    assert project.stop().listed == ["other.txt"]


OWN = [".ralph-active", ".ralph/x", ".ralph/runs/1/report.md", "ralph/DONE"]


@pytest.mark.parametrize("path", OWN)
def test_the_files_of_the_loop_are_never_listed(path: str, project: Project) -> None:
    if path != ".ralph-active":
        project.write(path, "two\n")
    assert project.stop().allowed
    modified(project)
    assert project.stop().listed == ["kept.txt"]


@pytest.mark.parametrize("path", OWN[1:])
def test_the_files_of_the_loop_are_not_listed_where_git_tracks_them(
    path: str, project: Project
) -> None:
    project.write(path, "one\n")
    project.git("add", "-f", path)
    project.commit()
    project.write(path, "two\n")
    assert project.stop().allowed


@pytest.mark.parametrize(
    "path",
    ["DONE", "ralph/DONE.txt", "src/.ralph-active", "src/.ralph/x", ".ralphx", "ralph/WAITS"],
)
def test_files_with_almost_such_a_name_are_listed(path: str, project: Project) -> None:
    project.write(path, "two\n")
    assert project.stop().listed == [path]


@pytest.mark.parametrize("name", ["WAIT", "WAIT_WITHOUT_RESTART"])
@pytest.mark.parametrize("kind", KINDS)
def test_waiting_allows_the_stop_at_once(name: str, kind: str, project: Project) -> None:
    project.mark(IDLE.marker(kind))
    modified(project)
    project.write("ralph/tasks.json", "not even JSON")
    assert project.stop().reason
    project.write(f"ralph/{name}", "")
    assert project.stop().allowed


def test_another_ralph_folder_is_honoured(project: Project) -> None:
    project.write("plans/shop/tasks.json", LIST)
    project.commit()
    project.mark({**IDLE.marker("full"), "ralphDir": "plans/shop"})
    project.write("plans/shop/DONE", "")
    assert project.stop().allowed
    project.write("ralph/DONE", "")
    answer = project.stop()
    assert answer.listed == ["ralph/DONE"]
    assert "plans/shop/progress.txt" in answer.reason
    project.write("plans/shop/WAIT", "")
    assert project.stop().allowed


@pytest.mark.parametrize(
    "name",
    [
        "two words.txt",
        " leading.txt",
        'it\'s "quoted".txt',
        "back\\slash",
        "café.txt",
        "🚀.txt",
        "-n",
    ],
)
def test_a_name_that_can_be_printed_is_shown_as_it_is(name: str, project: Project) -> None:
    project.write(name, "two\n")
    assert project.stop().listed == [name]


@pytest.mark.parametrize("name", ["new\nline.txt", "tab\t.txt", "\x1b[31mred", "bell\x07"])
def test_a_name_that_cannot_be_printed_is_shown_as_json_on_one_line(
    name: str, project: Project
) -> None:
    project.write(name, "two\n")
    [shown] = project.stop().listed
    assert json.loads(shown) == name
    assert shown.isprintable()


def stage(project: Project, *names: bytes) -> None:
    """In the index only: not every file system takes such names."""
    blob = project.git("hash-object", "-w", "--stdin", input=b"two\n").strip()
    entries = [b"100644 " + blob + b"\t" + name + b"\0" for name in names]
    project.git("update-index", "-z", "--index-info", input=b"".join(entries))


def test_a_name_that_is_not_utf_8_is_listed_in_words_that_can_be_sent(project: Project) -> None:
    stage(project, b"caf\xe9-menu.txt")
    answer = project.stop()
    [shown] = answer.listed
    assert "caf" in shown and "-menu.txt" in shown
    # Half a surrogate pair is refused by the model's API: the session would end there.
    assert answer.reason.encode("utf-8")


@pytest.mark.parametrize(
    ("number", "more"), [(20, ""), (21, "... and 1 more"), (25, "... and 5 more")]
)
def test_twenty_paths_are_shown_and_the_rest_is_counted(
    number: int, more: str, project: Project
) -> None:
    names = [f"new-{n:02}.txt" for n in range(number)]
    for name in names:
        project.write(name, "two\n")
    answer = project.stop()
    assert answer.listed == names[:20]
    assert [line for line in answer.reason.splitlines() if "more" in line] == [more] * bool(more)


def test_long_names_do_not_make_a_long_reason(project: Project) -> None:
    for number in range(25):
        project.write(f"{'d' * 200}/{'n' * 200}-{number:02}.txt", "two\n")
    answer = project.stop()
    assert len(answer.listed) == 20
    assert len(answer.reason) <= 4000
    assert "Append to ralph/progress.txt" in answer.reason
    assert answer.reason.endswith("Then stop again.")


def test_names_that_are_not_utf_8_do_not_make_a_long_reason(project: Project) -> None:
    stage(project, *(b"%02d" % number + b"\xe9" * 120 for number in range(25)))
    assert len(project.stop().reason) <= 4000


IMPLEMENT_WORDS = [
    "Append to ralph/progress.txt what was done and learned",
    "CLAUDE.md or .claude/rules/",
    "commit what you changed, including ralph/progress.txt and ralph/tasks.json",
]
REVIEW_WORDS = [
    "Commit only ralph/tasks.json, ralph/progress.txt, ralph/guardrails.md, CLAUDE.md and "
    ".claude/rules",
    "What your test runs made or changed",
    "`git restore`",
    "never commit it",
]
REVIEWED = Case("", task_list(waiting("US-001")), (approve("US-001", 1),), (), "review")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["implement", "review-fix"])
def test_who_builds_is_told_to_commit_the_work(mode: str, kind: str, project: Project) -> None:
    project.mark(replace(IDLE, mode=mode).marker(kind))
    modified(project)
    reason = project.stop().reason
    assert [words for words in IMPLEMENT_WORDS if words not in reason] == []
    assert [words for words in REVIEW_WORDS if words in reason] == []


@pytest.mark.parametrize("kind", KINDS)
def test_who_reviews_is_told_to_commit_nothing_but_the_verdict(kind: str, project: Project) -> None:
    project.write("ralph/tasks.json", REVIEWED.after())
    project.mark(REVIEWED.marker(kind))
    modified(project)
    answer = project.stop()
    assert sorted(answer.listed) == ["kept.txt", "ralph/tasks.json"]
    assert [words for words in REVIEW_WORDS if words not in answer.reason] == []
    assert [words for words in IMPLEMENT_WORDS if words in answer.reason] == []


def test_a_project_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    whole = Project(tmp_path / "whole", tmp_path / "home")
    whole.init()
    project = Project(tmp_path / "whole" / "apps" / "web", tmp_path / "home")
    project.write("ralph/tasks.json", LIST)
    project.write("kept.txt", "one\n")
    whole.commit()
    project.mark(IDLE.marker("full"))
    assert project.stop().allowed
    project.write("ralph/DONE", "")
    project.write(".ralph/x", "")
    assert project.stop().allowed
    modified(project)
    untracked(project)
    whole.write("README.md", "two\n")
    whole.write("apps/web2/x.py", "two\n")
    assert sorted(project.stop().listed) == [
        "../../README.md",
        "../../apps/web2/x.py",
        "kept.txt",
        "src/new.py",
    ]
    with_baseline(project, "kept.txt", "src/new.py", "../../README.md", "../../apps/web2/x.py")
    assert project.stop().allowed
    whole.write("README.md", "three\n")
    assert project.stop().listed == ["../../README.md"]


def test_a_linked_worktree(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "linked"))
    linked_tree = Project(tmp_path / "linked", project.home)
    linked_tree.mark(IDLE.marker("full"))
    modified(project)
    assert linked_tree.stop().allowed
    untracked(linked_tree)
    assert linked_tree.stop().listed == ["src/new.py"]
    linked_tree.commit()
    assert linked_tree.stop().allowed


def trap(project: Project, folder: Path) -> Path:
    """A program that leaves a trace when somebody starts it."""
    folder.mkdir()
    trace = folder / "was-here"
    for name in ("fsmonitor", "post-index-change"):
        program = folder / name
        program.write_text(f"#!/bin/sh\n: >'{trace}'\n")
        program.chmod(0o755)
    return trace


def test_a_file_system_monitor_in_the_project_is_not_started(
    project: Project, tmp_path: Path
) -> None:
    trace = trap(project, tmp_path / "trap")
    project.git("config", "core.fsmonitor", str(tmp_path / "trap" / "fsmonitor"))
    modified(project)
    assert project.stop().listed == ["kept.txt"]
    assert not trace.exists()
    project.git("status")
    assert trace.exists(), "the trap does not work"


@pytest.mark.parametrize("place", ["core.hooksPath", ".git/hooks"])
def test_git_hooks_in_the_project_are_not_started(
    place: str, project: Project, tmp_path: Path
) -> None:
    trace = trap(project, tmp_path / "trap")
    if place == "core.hooksPath":
        project.git("config", "core.hooksPath", str(tmp_path / "trap"))
    else:
        shutil.copytree(tmp_path / "trap", project.root / ".git" / "hooks")
    # Another time, same content: whoever looks wants to write the index.
    os.utime(project.root / "kept.txt", (1, 1))
    untracked(project)
    assert project.stop().listed == ["src/new.py"]
    assert not trace.exists()
    project.git("status")
    assert trace.exists(), "the trap does not work"


def test_looking_does_not_write_the_index(project: Project) -> None:
    """The agent's own git may want the lock at the same moment."""
    os.utime(project.root / "kept.txt", (1, 1))
    index = project.root / ".git" / "index"
    before = index.read_bytes()
    assert project.stop().allowed
    assert index.read_bytes() == before
    project.git("status")
    assert index.read_bytes() != before, "there was nothing to write"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GIT_DIR", ".git"),
        ("GIT_WORK_TREE", ""),
        ("GIT_INDEX_FILE", ".git/index"),
        ("GIT_COMMON_DIR", ".git"),
        ("GIT_OBJECT_DIRECTORY", ".git/objects"),
        ("GIT_NAMESPACE", "ralph"),
    ],
)
def test_a_git_variable_that_points_elsewhere_does_not_mislead(
    variable: str, value: str, project: Project, tmp_path: Path
) -> None:
    elsewhere = Project(tmp_path / "elsewhere", project.home)
    elsewhere.init()
    pointing = {variable: str(elsewhere.root / value)}
    assert project.stop(**pointing).allowed
    modified(project)
    assert project.stop(**pointing).listed == ["kept.txt"]


def test_settings_in_the_environment_do_not_hide_work(project: Project) -> None:
    untracked(project)
    settings = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "status.showUntrackedFiles",
        "GIT_CONFIG_VALUE_0": "no",
    }
    assert project.stop(**settings).listed == ["src/new.py"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status.showUntrackedFiles", "no"),
        ("status.relativePaths", "false"),
        ("status.branch", "true"),
        ("status.short", "true"),
        ("status.renames", "copies"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
    ],
)
def test_settings_of_the_repository_do_not_change_what_is_listed(
    key: str, value: str, project: Project
) -> None:
    project.git("config", key, value)
    renamed(project)
    project.write("café.txt", "two\n")
    assert sorted(project.stop().listed) == ["café.txt", "kept.txt", "moved.txt"]


def test_without_a_repository_the_check_is_skipped_and_recorded(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "home")
    project.write("ralph/tasks.json", LIST)
    project.mark(IDLE.marker("full"))
    assert project.stop().allowed
    assert [event["event"] for event in project.events()] == ["clean-tree-skipped", "gate-passed"]


def test_without_git_the_check_is_skipped_and_recorded(project: Project, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    shell = shutil.which("sh")
    assert shell
    (tools / "sh").symlink_to(shell)
    modified(project)
    assert project.stop(PATH=str(tools)).allowed
    assert [event["event"] for event in project.events()] == ["clean-tree-skipped", "gate-passed"]


def test_an_empty_git_folder_in_a_subfolder_project_means_nothing(project: Project) -> None:
    sub = project.root / "apps" / "web"
    (sub / ".git").mkdir(parents=True)
    (project.root / "dirt").write_text("x")
    tree = clean_tree.look(str(sub), "ralph", {})
    assert tree.known and "../../dirt" in tree.uncommitted

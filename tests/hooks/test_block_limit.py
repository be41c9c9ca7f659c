"""How often a stop is blocked, what is left behind, and what a failure of the hook itself does."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from hooks.hook_process import IDLE, PLUGIN, Project
from rules import KINDS, RUN, SESSION

OTHER_SESSION = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
BROKEN_LIST = "{}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Without git: the tree has no say, the list alone is judged."""
    project = Project(tmp_path / "project", tmp_path / "home")
    project.write("ralph/tasks.json", BROKEN_LIST)
    project.mark(IDLE.marker("full"))
    return project


def names(project: Project) -> list[str]:
    return [event["event"] for event in project.events()]


def block(project: Project, times: int) -> None:
    for _ in range(times):
        assert "4 faults" in project.stop().reason


@pytest.mark.parametrize("kind", KINDS)
def test_six_blocks_then_the_stop_goes_through(kind: str, project: Project) -> None:
    project.mark(IDLE.marker(kind))
    block(project, 6)
    assert project.stop().allowed
    assert names(project) == ["gate-blocked"] * 6 + ["gate-exhausted"]


def test_after_the_limit_every_stop_goes_through(project: Project) -> None:
    block(project, 6)
    assert project.stop().allowed
    assert project.stop().allowed
    assert names(project)[-2:] == ["gate-exhausted"] * 2


def test_a_repair_in_between_does_not_start_the_count_again(project: Project) -> None:
    block(project, 5)
    project.write("ralph/tasks.json", IDLE.after())
    assert project.stop().allowed
    project.write("ralph/tasks.json", BROKEN_LIST)
    block(project, 1)
    assert project.stop().allowed
    assert names(project)[-1] == "gate-exhausted"


def test_every_event_says_when_who_and_what(project: Project) -> None:
    block(project, 6)
    assert project.stop().allowed
    for event in project.events():
        assert datetime.strptime(event["time"], "%Y-%m-%dT%H:%M:%SZ")
        assert (event["session"], event["run"], event["iteration"]) == (SESSION, RUN, 3)
        assert event["group"] == "schema"


def test_another_session_has_a_count_of_its_own(project: Project) -> None:
    block(project, 6)
    assert project.stop().allowed
    project.mark({**IDLE.marker("full"), "sessionId": OTHER_SESSION})
    assert "4 faults" in project.stop(OTHER_SESSION).reason
    project.mark(IDLE.marker("full"))
    assert project.stop().allowed


@pytest.mark.parametrize("obstacle", ["folder", "link", "file in the way"])
def test_a_count_that_cannot_be_kept_is_a_count_that_is_full(
    obstacle: str, project: Project
) -> None:
    blocks = project.root / ".ralph" / "blocks"
    if obstacle == "folder":
        (blocks / SESSION).mkdir(parents=True)
    elif obstacle == "link":
        blocks.mkdir(parents=True)
        (blocks / SESSION).symlink_to(project.home / "count")
    else:
        project.write(".ralph/blocks", "")
    assert project.stop().allowed
    assert names(project) == ["gate-exhausted"]
    assert not (project.home / "count").exists()


def test_events_that_cannot_be_written_stop_no_one(project: Project) -> None:
    (project.root / ".ralph" / "hook-events.jsonl").mkdir(parents=True)
    block(project, 6)
    assert project.stop().allowed


def test_what_hooks_leave_behind_is_not_seen_by_git(project: Project) -> None:
    project.git("init", "-q", "--template=", "-b", "main")
    block(project, 1)
    project.git("add", "-A")
    tracked = project.git("ls-files").decode().splitlines()
    assert sorted(tracked) == [".ralph-active", ".ralph/.gitignore", "ralph/tasks.json"]


@pytest.fixture
def broken_plugin(tmp_path: Path) -> Path:
    """The plugin with a defect that shows while it judges."""
    plugin = tmp_path / "plugin"
    unwanted = shutil.ignore_patterns("__pycache__")
    for folder in ("hooks", "scripts/ralph_engine/core"):
        shutil.copytree(PLUGIN / folder, plugin / folder, ignore=unwanted)
    shutil.copy(
        PLUGIN / "scripts" / "ralph_engine" / "__init__.py", plugin / "scripts/ralph_engine"
    )
    with open(plugin / "scripts" / "ralph_engine" / "core" / "gate.py", "a") as module:
        module.write("\n\ndef schema(*_):\n    raise RuntimeError('broken on purpose')\n")
    return plugin


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_of_the_hook_blocks_once_and_names_its_log(
    kind: str, project: Project, broken_plugin: Path
) -> None:
    project.mark(IDLE.marker(kind))
    reason = project.stop(plugin=broken_plugin).reason
    assert ".ralph/hook-errors.log" in reason
    assert len(reason.splitlines()) == 1
    assert project.stop(plugin=broken_plugin).allowed
    assert project.stop(plugin=broken_plugin).allowed


def test_every_failure_of_the_hook_is_in_the_log(project: Project, broken_plugin: Path) -> None:
    project.stop(plugin=broken_plugin)
    project.stop(plugin=broken_plugin)
    log = (project.root / ".ralph" / "hook-errors.log").read_text()
    assert log.count("RuntimeError: broken on purpose") == 2
    assert log.count(SESSION) == 2


def test_another_session_is_told_of_the_failure_too(project: Project, broken_plugin: Path) -> None:
    assert project.stop(plugin=broken_plugin).reason
    project.mark({**IDLE.marker("full"), "sessionId": OTHER_SESSION})
    assert project.stop(OTHER_SESSION, plugin=broken_plugin).reason


def test_a_failure_that_cannot_be_logged_allows(project: Project, broken_plugin: Path) -> None:
    project.write(".ralph", "a file where the folder should be")
    assert project.stop(plugin=broken_plugin).allowed


def test_a_failure_does_not_use_up_the_blocks(project: Project, broken_plugin: Path) -> None:
    assert project.stop(plugin=broken_plugin).reason
    block(project, 6)
    assert project.stop().allowed


@pytest.mark.parametrize("hook", ["stop", "session"])
def test_a_plugin_that_cannot_be_imported_is_silent(tmp_path: Path, hook: str) -> None:
    for folder in ("hooks", "scripts/ralph_engine"):
        shutil.copytree(PLUGIN / folder, tmp_path / folder)
    (tmp_path / "scripts" / "ralph_engine" / "core" / "paths.py").write_text("raise RuntimeError\n")
    done = subprocess.run(
        ["sh", tmp_path / "hooks" / "run", hook],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "RALPH_ACTIVE": "1"},
        input=b"{}",
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

"""The hooks fire wherever the plugin and the client live."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e.claude_client import REPOSITORY, manage_plugins
from e2e.loop_project import LoopProject, blocks, iterate, story
from ralph_engine.scripted_model import say

ILLEGAL = {"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": "done"}
LEGAL = {"reviewStatus": "needs_review"}


@pytest.fixture
def project(tmp_path: Path) -> LoopProject:
    made = LoopProject(tmp_path, story("US-1"))
    made.mark("implement")
    return made


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    copy = tmp_path / "a plugin's folder"
    for folder in (".claude-plugin", "hooks", "scripts"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / folder, copy / folder, ignore=ignored)
    yield copy
    subprocess.run(["chmod", "-R", "u+w", copy], check=True)


def assert_blocks_once(project: LoopProject, **options: Any) -> None:
    turns = [project.edit(**ILLEGAL), say("Done."), project.edit(**LEGAL), say("Submitted.")]
    run, model = iterate(project, turns, **options)
    assert run.result["result"] == "Submitted."
    assert len(blocks(model)) == 1


def test_another_time_zone_and_language(project: LoopProject) -> None:
    env = project.environment(TZ="Asia/Kathmandu", LANG="tr_TR.UTF-8", LC_ALL="C")
    assert_blocks_once(project, env=env)


def test_no_home(project: LoopProject, plugin: Path) -> None:
    """Only the hooks go without: the client itself would then use the tester's own home."""
    path = plugin / "hooks" / "hooks.json"
    events = json.loads(path.read_text())["hooks"]
    groups = [group for event in events.values() for group in event]
    for entry in (hook for group in groups for hook in group["hooks"]):
        entry["command"] = "unset HOME XDG_CACHE_HOME; " + entry["command"]
    path.write_text(json.dumps({"hooks": events}))
    assert_blocks_once(project, plugin=plugin)


def test_a_read_only_plugin_folder_with_blanks_and_quotes(
    project: LoopProject, plugin: Path
) -> None:
    # A file of that name keeps Python, root's too, from caching byte code there.
    (plugin / "scripts" / "ralph_engine" / "core" / "__pycache__").touch()
    subprocess.run(["chmod", "-R", "a-w", plugin], check=True)
    assert_blocks_once(project, plugin=plugin)


def test_a_process_namespace_of_its_own(project: LoopProject) -> None:
    bwrap = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"]
    inside = [*bwrap, "--unshare-pid", "--die-with-parent", "--"]
    assert_blocks_once(project, inside=inside)


def test_installed_from_this_repository_as_a_marketplace(
    project: LoopProject, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    manage_plugins(home, "marketplace", "add", str(REPOSITORY))
    manage_plugins(home, "install", "ralph@ralph")
    [installed] = json.loads(manage_plugins(home, "list", "--json"))
    version = json.loads((REPOSITORY / ".claude-plugin" / "plugin.json").read_text())["version"]
    assert installed["version"] == version
    assert_blocks_once(project, plugin=None, home=home)

"""The runner puts up Signs: when the breaker trips, and when a guardrail failed three times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ralph_engine import signs
from runner.hostile_project import HostileProject, story
from runner.live_loop import verb


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def found(project: HostileProject) -> list[signs.Sign]:
    return signs.parse((project.root / "ralph/guardrails.md").read_text())


def test_the_breaker_leaves_a_sign_committed_by_the_runner(project: HostileProject) -> None:
    assert project.run("sh -c 'echo hm'", "--breaker", "2", iterations=9).code == 3
    [sign] = found(project)
    assert sign.faults == []
    assert "2 iterations in a row without progress" in sign.values["Trigger"]
    assert project.git("log", "-1", "--format=%an %s").startswith("Ralph Loop ralph: sign:")
    assert project.git("status", "--short") == ""
    listed = verb(project, "signs")
    assert listed.code == 0 and sign.name in listed.screen


def test_a_guardrail_that_fails_three_times_leaves_one_sign(project: HostileProject) -> None:
    red = {"command": "false  # it's <!-- hard", "failAction": "APPEND", "hint": "Make it true."}
    (project.root / ".ralph/settings.json").write_text(json.dumps({"guardrails": [red]}))
    project.git("commit", "-qam", "guardrail")
    assert project.run("sh -c 'echo hm'", "--breaker", "0", iterations=2).code == 1
    assert found(project) == []
    assert verb(project, "resume", "-n", "5").code == 1
    [sign] = found(project)
    assert sign.faults == []
    assert sign.values["Instruction"] == "Make it true."
    assert "false # it's < !-- hard keeps failing" in sign.name


def test_without_the_file_there_is_no_sign_and_no_failure(project: HostileProject) -> None:
    (project.root / "ralph/guardrails.md").unlink()
    project.git("commit", "-qam", "no signs")
    assert project.run("sh -c 'echo hm'", "--breaker", "2", iterations=9).code == 3
    assert not (project.root / "ralph/guardrails.md").exists()

"""The runner's own checks decide: untidy, flaky, red after the last approval, never green."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from runner.hostile_project import DEADLINE, ENGINE, MARK, HostileProject, end_marked, story
from runner.live_loop import Gate, verb
from runner.test_users_things import HONEST


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1", verify=[]))


def set_checks(project: HostileProject, *commands: str) -> None:
    path = project.root / "ralph" / "tasks.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "verifyCommands": list(commands)}))
    project.git("commit", "-qam", "checks")


def events(project: HostileProject, name: str) -> list[dict[str, object]]:
    return [event for event in project.journal() if event["event"] == name]


def test_what_only_a_check_creates_is_nobodys_work(project: HostileProject) -> None:
    set_checks(project, "echo x >> report.xml")
    ended = project.run(HONEST, iterations=5)
    assert ended.code == 0, ended.screen
    assert ended.screen.count("a check made report.xml: add it to .gitignore") == 1
    assert project.git("status", "--porcelain") == "?? report.xml"


def test_a_check_that_fails_every_second_time_is_called_flaky(project: HostileProject) -> None:
    count = 'n=$(($(cat "$OUTSIDE/n" 2>/dev/null) + 1)); echo $n > "$OUTSIDE/n"'
    odd = f"{count}; [ $((n % 2)) = 0 ]"
    set_checks(project, odd)
    ended = project.run(HONEST, iterations=5)
    assert ended.code == 0, ended.screen
    assert [event["command"] for event in events(project, "flaky")] == [odd]


def test_red_after_the_last_approval_reopens_the_story(project: HostileProject) -> None:
    """The honest agent writes 'done' first and 'DONE' when its work comes back."""
    red = "grep -q DONE US-1.txt"
    set_checks(project, red)
    ended = project.run(HONEST, iterations=6)
    assert ended.code == 0, ended.screen
    verdicts = [(entry["event"], entry["story"]) for entry in project.verdicts()]
    assert verdicts == [
        ("submitted", "US-1"),
        ("approved", "US-1"),
        ("reopened", "US-1"),
        ("submitted", "US-1"),
        ("approved", "US-1"),
    ]
    assert f'Guardrail "{red}" failed with exit code 1.' in project.prompt(3)
    assert project.stories()["US-1"]["reviewCount"] == 2


def test_never_green_ends_at_the_breaker(project: HostileProject) -> None:
    set_checks(project, "false")
    ended = project.run(HONEST, iterations=20)
    assert ended.code == 3
    assert "breaker: 3 times US-1 was reopened by failing checks" in ended.screen
    assert project.stories()["US-1"]["passes"] is False


def test_a_story_whose_own_check_is_red_when_approved_comes_back_at_once(tmp_path: Path) -> None:
    own = "grep -q DONE US-1.txt"
    project = HostileProject(tmp_path, story("US-1", verify=[own]), story("US-2", priority=2))
    project.run(HONEST, iterations=2)
    assert project.stories()["US-1"]["reviewStatus"] == "changes_requested"
    assert own in project.stories()["US-1"]["reviewFeedback"]


def test_a_check_that_hangs_is_ended_and_told(project: HostileProject) -> None:
    settings = {"guardrails": [{"command": "sleep 600", "failAction": "APPEND", "timeout": "1s"}]}
    (project.root / ".ralph" / "settings.json").write_text(json.dumps(settings))
    project.git("commit", "-qam", "settings")
    project.run(HONEST, iterations=2)
    assert 'Guardrail "sleep 600" timed out after 1s.' in project.prompt(2)


def test_the_story_that_was_really_submitted_is_checked(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"), story("US-2", verify=["echo its own"]))
    program = project.outside / "takes_the_other.py"
    program.write_text(
        "import json, pathlib, subprocess\n"
        "path = pathlib.Path('ralph/tasks.json')\n"
        "document = json.loads(path.read_text())\n"
        "document['userStories'][1]['reviewStatus'] = 'needs_review'\n"
        "path.write_text(json.dumps(document))\n"
        "subprocess.run(['git', 'commit', '-qam', 'feat: [US-2]'], check=True)\n"
        "print('took the other one')\n"
    )
    project.run(f"{sys.executable} '{program}'", iterations=1)
    assert "echo its own" in [event["command"] for event in events(project, "check")]


def test_a_tracked_file_that_a_check_changes_is_uncommitted_work(project: HostileProject) -> None:
    set_checks(project, "echo formatted >> app.py")
    ended = project.run(HONEST, iterations=3)
    assert ended.code != 0
    assert "a check changed app.py, which git tracks: that is uncommitted work" in ended.screen


def test_what_a_check_leaves_chattering_does_not_delay_its_verdict(project: HostileProject) -> None:
    set_checks(project, "(while :; do echo hm; sleep 0.05; done) & exit 0")
    ended = project.run(HONEST, iterations=5)
    assert ended.code == 0, ended.screen


@pytest.mark.parametrize("number", [3, 4], ids=["after the approval", "at completion"])
def test_ctrl_c_during_a_check_reopens_nothing(tmp_path: Path, number: int) -> None:
    """The story's own check runs before and after its work, after the review, at completion."""
    count = 'n=$(($(cat "$OUTSIDE/n" 2>/dev/null) + 1)); echo $n > "$OUTSIDE/n"'
    hangs = f'{count}; [ $n = {number} ] || exit 0; echo now > "$OUTSIDE/checking"; sleep 600'
    project = HostileProject(tmp_path, story("US-1", verify=[hangs]))
    os.mkfifo(project.outside / "checking")
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "--agent", HONEST]
    runner = subprocess.Popen(
        argv, cwd=project.root, env=project.environment, stderr=subprocess.DEVNULL
    )
    (project.outside / "checking").read_text()
    runner.send_signal(signal.SIGINT)
    assert runner.wait(60) == 130
    assert project.stories()["US-1"]["reviewStatus"] == "approved"
    assert [entry["event"] for entry in project.verdicts()] == ["submitted", "approved"]


WAITS = 'test -e "$OUTSIDE/over" || { echo here >> "$OUTSIDE/here"; read -r word < "$OUTSIDE/go"; }'


@pytest.mark.parametrize("words", [["verify"], ["rehearse", "--only", "writes-done"]])
def test_two_at_once_leave_each_others_checks_alone(tmp_path: Path, words: list[str]) -> None:
    """What a check leaves running is known by a mark, which nobody else may have."""
    slow, quick = (HostileProject(tmp_path / name, story("US-1")) for name in ("slow", "quick"))
    set_checks(slow, WAITS)
    gate = Gate(slow)
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), *words]
    with subprocess.Popen(
        argv,
        cwd=slow.root,
        env=slow.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as working:
        try:
            gate.agents_come(1)
            verb(quick, *words)
            (slow.outside / "over").touch()
            gate.let_go(lambda: working.poll() is not None)
            said, _ = working.communicate(timeout=DEADLINE)
        finally:
            end_marked(f"{MARK}={slow.mark}")
    assert "Red in a copy" not in said and "exit code -" not in said, said
    assert "test -e" in said or "1 attack: 1 stopped" in said

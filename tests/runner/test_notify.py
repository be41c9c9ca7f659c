"""A command of the person's own tells the end of a loop and its waits; the run never needs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import ENGINE, HostileProject, Witness, story
from runner.live_loop import HONEST, LiveLoop, until, verb

TELL = 'printf "%s|%s|%s\\n" "$RALPH_STATUS" "$RALPH_ACTIVE" "$RALPH_SUMMARY" >> "$OUTSIDE/told"'
DRIVER = Path(__file__).with_name("short_notify.py")
TOO_MUCH = '{"type":"result","is_error":true,"api_error_status":429,"result":"Too much"}'


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return notified(HostileProject(tmp_path, story("US-1")), TELL)


def notified(project: HostileProject, command: str) -> HostileProject:
    (project.root / ".ralph/settings.json").write_text(json.dumps({"notify": command}))
    project.git("commit", "-qam", "notify")
    return project


def told(project: HostileProject) -> list[str]:
    path = project.outside / "told"
    return path.read_text().splitlines() if path.exists() else []


def limited(project: HostileProject) -> LiveLoop:
    """A stand-in for a client that has met its limit."""
    client = project.outside / "claude"
    client.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{TOO_MUCH}'\nexit 1\n")
    client.chmod(0o755)
    # As root the client wants to be told that it may.
    return LiveLoop(project, "-p", "go", "--agent", str(client), IS_SANDBOX="1")


@pytest.mark.parametrize(
    ("agent", "options", "code", "line"),
    [
        (HONEST, (), 0, "complete|0|project: complete: 1 of 1 stories verified"),
        (
            "sh -c 'echo hm'",
            ("--breaker", "0"),
            1,
            "exhausted|0|project: exhausted: 2 iterations used up; "
            f"{RALPH} resume with a higher -n",
        ),
        (
            "sh -c 'exit 42'",
            (),
            42,
            "stopped|0|project: stopped: the agent asks for a person (exit code 42); "
            f"{RALPH} resume when that is done",
        ),
        ("mkdir ralph/DONE", (), 2, "error|0|project: error: ralph/DONE is a directory"),
    ],
)
def test_every_end_is_told(
    project: HostileProject, agent: str, options: tuple[str, ...], code: int, line: str
) -> None:
    ended = project.run(agent, *options)
    assert (ended.code, told(project)) == (code, [line]), ended.screen


def test_a_wait_is_told_when_it_begins_and_then_the_end(project: HostileProject) -> None:
    """The limit names no reset: five minutes, were it not for the cancel."""
    with limited(project) as loop:
        until(lambda: bool(told(project)))
        assert verb(project, "cancel").code == 0
        assert loop.end().code == 130
    waiting, ended = told(project)
    assert waiting.startswith("waiting|0|project: waiting until ")
    assert waiting.endswith(" (5m0s): Too much")
    assert ended.startswith("interrupted|0|project: interrupted: cancelled on request; ")


def test_what_an_agent_wrote_arrives_as_one_harmless_line(project: HostileProject) -> None:
    program = project.outside / "waits.sh"
    program.write_text("printf 'Which?\\033[31m $(touch hacked)\\nTwo\\n' > ralph/WAIT\n")
    assert project.run(f"sh '{program}'").code == 42
    [line] = told(project)
    assert "Which?\\x1b[31m $(touch hacked) Two" in line
    assert not (project.root / "hacked").exists()


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("echo one; echo no bell here >&2; exit 7", "failed with exit code 7 (no bell here)"),
        ("exit 3", "failed with exit code 3"),
        ("echo --token sk-abcdefgh1234; exit 1", "failed with exit code 1 (--token [redacted])"),
    ],
)
def test_a_command_that_fails_changes_nothing(
    project: HostileProject, command: str, problem: str
) -> None:
    ended = notified(project, command).run(HONEST)
    assert ended.code == 0
    assert ended.screen.endswith("ralph: complete: 1 of 1 stories verified\n")
    line = f"[ralph] the notify command {problem}; the run does not depend on it"
    assert line in ended.screen.splitlines()


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    project = HostileProject(tmp_path, story("US-1"))
    notified(project, "setsid sh -c 'exec 3> \"$ALIVE\"; sleep 600' & sleep 600")
    with Witness(project) as witness:
        ended = project.run(HONEST, engine=[str(DRIVER), "0.5", str(ENGINE)], witness=witness)
    assert ended.code == 0
    problem = "the notify command took longer than 0.5 s and was ended"
    assert f"[ralph] {problem}; the run does not depend on it" in ended.screen.splitlines()


def test_cancel_is_answered_at_once_while_it_tells_of_a_wait(project: HostileProject) -> None:
    """But the end is told to its end, although a stop was asked for."""
    waits = f"{TELL}; exec sleep 600"
    notified(project, f"if [ $RALPH_STATUS = waiting ]; then {waits}; fi; sleep 1; {TELL}")
    with limited(project) as loop:
        until(lambda: bool(told(project)))
        assert verb(project, "cancel").code == 0
        ended = loop.end()
    assert ended.code == 130 and "the notify command" not in ended.screen
    assert [line.partition("|")[0] for line in told(project)] == ["waiting", "interrupted"]

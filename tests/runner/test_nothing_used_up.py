"""What a provider turned away costs no iteration, and what a person said reaches a model."""

from __future__ import annotations

import shlex
import signal
import subprocess
from pathlib import Path

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import MARK, HostileProject, marked, story
from runner.live_loop import LiveLoop, events, until, verb

REFUSED = '{"type":"result","is_error":true,"api_error_status":429,"result":"Too much"}'
DONE = '{"type":"result","is_error":false,"result":"<response>DONE</response>"}'


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


@pytest.fixture
def client(project: HostileProject) -> str:
    """A stand-in that is taken for Claude: refused while $OUTSIDE/limit is there."""
    program = project.outside / "claude"
    program.write_text(
        '#!/bin/sh\ncat >> "$OUTSIDE/prompts"\n'
        f'[ -e "$OUTSIDE/limit" ] && echo {shlex.quote(REFUSED)} && exit 1\n'
        f"echo {shlex.quote(DONE)}\n"
    )
    program.chmod(0o755)
    (project.outside / "limit").touch()
    return shlex.quote(str(program))


def limited(project: HostileProject, client: str, *options: str) -> LiveLoop:
    words = ["-p", "go", "-n", "1", "--agent", client, *options]
    return LiveLoop(project, *words, IS_SANDBOX="1")


def goes_on(project: HostileProject) -> None:
    """The one iteration that was allowed is still there, and it is enough."""
    (project.outside / "limit").unlink()
    ended = verb(project, "resume", IS_SANDBOX="1")
    assert ended.code == 0, ended.screen
    assert [e["number"] for e in events(project) if e["event"] == "iteration"] == [1, 1]


def test_a_limit_that_is_not_waited_for(project: HostileProject, client: str) -> None:
    with limited(project, client, "--no-wait-on-limit") as loop:
        assert loop.end().code == 4
    goes_on(project)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["INT", "KILL"])
def test_a_wait_that_is_cut_short(project: HostileProject, client: str, number: int) -> None:
    with limited(project, client) as loop:
        loop.has_event("wait")
        loop.process.send_signal(number)
        assert loop.process.wait(30) in (130, -signal.SIGKILL)
    goes_on(project)


def test_a_pause_in_a_wait_stands_at_once_and_the_wait_goes_on(
    project: HostileProject, client: str
) -> None:
    with limited(project, client) as loop:
        loop.has_event("wait")
        assert verb(project, "pause").code == 0
        assert verb(project, "resume").code == 0
        loop.has_event("wait", times=2)
        assert verb(project, "cancel").code == 0
    goes_on(project)


def test_what_a_person_said_is_not_lost_with_a_refused_prompt(
    project: HostileProject, client: str
) -> None:
    with limited(project, client) as loop:
        loop.has_event("wait")
        assert verb(project, "pause").code == 0
        assert verb(project, "tell", "use tabs").code == 0
        assert verb(project, "resume").code == 0
        loop.has_event("wait", times=2)
        loop.process.kill()
        loop.process.wait()
    (project.outside / "prompts").unlink()
    goes_on(project)
    assert (project.outside / "prompts").read_text().count("A person tells you: use tabs") == 1


def test_a_word_to_a_run_that_ended_is_not_passed_on_to_the_next(
    project: HostileProject, client: str
) -> None:
    (project.outside / "limit").unlink()
    [state] = [path.parent for path in _after_a_run(project, client)]
    told = state / "requests" / "tell"
    told.mkdir(parents=True)
    (told / "1").write_text("delete the old table")
    with limited(project, client) as loop:
        ended = loop.end()
    assert "not passed on, it was said to an earlier run: delete the old table" in ended.screen
    assert "delete the old table" not in (project.outside / "prompts").read_text()
    assert list(told.iterdir()) == []


def _after_a_run(project: HostileProject, client: str) -> list[Path]:
    with limited(project, client) as loop:
        assert loop.end().code == 0
    return list(project.state.glob("ralph/project-*/checkpoint.json"))


ORPHAN = 'setsid sleep 300 > /dev/null 2>&1 & echo here >> "$OUTSIDE/here"; sleep 300'


def orphaned(project: HostileProject, loop: LiveLoop) -> None:
    loop.agents_come(1)
    loop.process.kill()
    loop.process.wait()
    assert marked(f"{MARK}={project.mark}") != []


def test_reset_ends_what_a_killed_run_left_running(project: HostileProject) -> None:
    with LiveLoop(project, "-p", "go", agent=ORPHAN) as loop:
        orphaned(project, loop)
        assert verb(project, "reset", "--yes").code == 0
        assert marked(f"{MARK}={project.mark}") == []
    assert f"next: {RALPH} run starts a new one" in verb(project, "status").screen


def test_a_start_whose_checkpoint_is_broken_ends_them_too(project: HostileProject) -> None:
    with LiveLoop(project, "-p", "go", agent=ORPHAN) as loop:
        orphaned(project, loop)
        [known] = project.state.glob("ralph/project-*/checkpoint.json")
        known.write_text("{")
        ended = project.run("sh -c 'echo \"<response>DONE</response>\"'", "-p", "go", iterations=1)
        assert ended.code == 0, ended.screen
        assert marked(f"{MARK}={project.mark}") == []


def test_a_clock_that_is_set_between_kill_and_resume_uses_up_no_time(
    project: HostileProject,
) -> None:
    with LiveLoop(project, "-p", "go", "--max-duration", "1h", agent=ORPHAN) as loop:
        orphaned(project, loop)
        [journal] = project.state.glob("ralph/project-*/runs/*/journal.jsonl")
        subprocess.run(["touch", "-d", "+2 hours", str(journal)], check=True, timeout=30)
        agent = "sh -c 'echo \"<response>DONE</response>\"'"
        ended = verb(project, "resume", "--agent", agent)
    assert ended.code == 0, ended.screen


def test_what_an_agent_left_is_asked_to_end_first(project: HostileProject) -> None:
    server = project.outside / "server.sh"
    server.write_text(
        "trap 'echo tidy > \"$OUTSIDE/tidied\"; exit' TERM\n"
        'touch "$OUTSIDE/ready"; while :; do sleep 0.1; done\n'
    )
    agent = project.outside / "agent.sh"
    agent.write_text(
        f"setsid sh '{server}' > /dev/null 2>&1 &\n"
        'while [ ! -e "$OUTSIDE/ready" ]; do sleep 0.1; done; echo "<response>DONE</response>"\n'
    )
    ended = project.run(f"sh '{agent}'", "-p", "go", iterations=1)
    assert ended.code == 0, ended.screen
    until((project.outside / "tidied").exists)


def test_options_do_not_vanish_in_a_pause(project: HostileProject) -> None:
    with LiveLoop(project) as loop:
        loop.agents_come(1)
        loop.pause()
        refused = verb(project, "resume", "--allow-dirty")
        assert refused.code == 2
        assert "the loop is paused: options count only at a start" in refused.screen


def test_status_tells_what_comes_next(project: HostileProject) -> None:
    agent = "sh -c 'echo hm'"
    assert project.run(agent, "-p", "go", iterations=1).code == 1
    lines = verb(project, "status").screen.splitlines()
    assert "iteration 1 of 1" in lines
    assert lines[-1] == f"next: {RALPH} resume with a higher -n"

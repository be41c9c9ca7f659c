"""What ends a loop, and what does not: restarts, DONE, WAIT, limits, signals, fatal errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from runner.hostile_project import ENGINE, HostileProject, story
from runner.test_users_things import HONEST

COUNT = 'n=$(($(cat "$OUTSIDE/n" 2>/dev/null) + 1)); echo $n > "$OUTSIDE/n"; '


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def shell(project: HostileProject, text: str) -> str:
    program = project.outside / "agent.sh"
    program.write_text(text)
    return f"sh '{program}'"


def iterations(project: HostileProject) -> int:
    return sum(event["event"] == "iteration" for event in project.journal())


def test_success_after_some_restarts(project: HostileProject) -> None:
    work = shell(project, COUNT + "[ $n = 3 ] || exit 7; echo '<response>done</response>'")
    ended = project.run(work, "-p", "go", iterations=5)
    assert (ended.code, iterations(project)) == (0, 3)
    assert "done, claimed by the agent; no checks configured" in ended.screen


def test_exit_0_alone_never_ends_a_loop(project: HostileProject) -> None:
    ended = project.run(shell(project, "echo I am done"), "-p", "go", iterations=3)
    assert (ended.code, iterations(project)) == (1, 3)
    assert "exhausted: 3 iterations used up" in ended.screen


def test_a_signal_file_older_than_the_run_is_named(project: HostileProject) -> None:
    for name in ("DONE", "WAIT", "WAIT_WITHOUT_RESTART"):
        (project.root / "ralph" / name).touch()
        ended = project.run(HONEST)
        assert ended.code == 2
        assert f"ralph/{name} is older than this run\nhint: rm ralph/{name}" in ended.screen
        (project.root / "ralph" / name).unlink()
    assert iterations(project) == 0


def test_done_written_during_the_run_completes_a_prompt(project: HostileProject) -> None:
    ended = project.run(shell(project, "echo hm; touch ralph/DONE"), "-p", "go")
    assert ended.code == 0
    assert not (project.root / "ralph" / "DONE").exists()


def test_done_proves_nothing_about_a_task_list(project: HostileProject) -> None:
    ended = project.run(shell(project, "echo hm; touch ralph/DONE"), iterations=2)
    assert ended.code == 1
    assert "Completion was promised, but the list is not finished." in project.prompt(2)


def test_done_that_is_a_folder_is_an_error(project: HostileProject) -> None:
    ended = project.run(shell(project, "echo hm; mkdir ralph/DONE"), "-p", "go")
    assert ended.code == 2 and "ralph/DONE is a directory" in ended.screen


@pytest.mark.parametrize("name", ["WAIT", "WAIT_WITHOUT_RESTART"])
def test_a_wait_file_stops_with_its_reason(project: HostileProject, name: str) -> None:
    ended = project.run(shell(project, f"echo hm; echo 'which port?' > ralph/{name}"))
    assert (ended.code, iterations(project)) == (42, 1)
    assert f"stopped: ralph/{name} says: which port?" in ended.screen


def test_exit_42_stops_for_a_person(project: HostileProject) -> None:
    ended = project.run(shell(project, "echo hm; exit 42"))
    assert (ended.code, iterations(project)) == (42, 1)


@pytest.mark.parametrize("name", ["missing", "not executable"])
def test_an_agent_that_cannot_be_started_is_fatal(project: HostileProject, name: str) -> None:
    (project.outside / "not executable").write_text("echo hm\n")
    ended = project.run(f"'{project.outside / name}'")
    assert ended.code == 2 and f"{name} is not installed or not on PATH" in ended.screen
    assert iterations(project) == 0


def test_the_delay_lies_between_iterations(project: HostileProject) -> None:
    start = time.monotonic()
    project.run(shell(project, "echo hm"), "-p", "go", "--delay", "1s", iterations=2)
    assert time.monotonic() - start >= 1.0
    assert iterations(project) == 2


def test_a_time_limit_ends_the_loop(project: HostileProject) -> None:
    slow = shell(project, "exec sleep 600")
    ended = project.run(slow, "-p", "go", "--max-duration", "1s", iterations=9)
    assert ended.code == 4 and "the time limit is reached" in ended.screen


def test_an_iteration_that_takes_too_long_is_ended_and_counted(project: HostileProject) -> None:
    slow = shell(project, COUNT + "[ $n = 1 ] && exec sleep 600; echo '<response>DONE</response>'")
    ended = project.run(slow, "-p", "go", "--iteration-timeout", "1s")
    assert (ended.code, iterations(project)) == (0, 2)
    assert "agent timeout" in ended.screen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_agent_and_loop_and_takes_the_marker_away(
    project: HostileProject, number: int
) -> None:
    os.mkfifo(project.outside / "started")
    slow = shell(project, 'echo $$ > "$OUTSIDE/started"; exec sleep 600')
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "--agent", slow]
    runner = subprocess.Popen(
        argv, cwd=project.root, env=project.environment, stderr=subprocess.PIPE, text=True
    )
    agent = int((project.outside / "started").read_text())
    assert (project.root / ".ralph-active").exists()
    runner.send_signal(number)
    _, screen = runner.communicate(timeout=30)
    assert runner.returncode == 130
    assert "Received signal, shutting down..." in screen
    assert not Path(f"/proc/{agent}").exists()
    assert not (project.root / ".ralph-active").exists()


def test_a_second_loop_in_one_folder_is_refused(project: HostileProject) -> None:
    os.mkfifo(project.outside / "go")
    first = shell(project, 'read line < "$OUTSIDE/go"; echo "<response>DONE</response>"')
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "-p", "x", "--agent", first]
    runner = subprocess.Popen(argv, cwd=project.root, env=project.environment, text=True)
    with (project.outside / "go").open("w") as go:
        second = subprocess.run(
            [*argv[:6], "-p", "x", "--agent", "true"],
            cwd=project.root,
            env=project.environment,
            capture_output=True,
            text=True,
            timeout=30,
        )
        go.write("on\n")
    assert runner.wait(30) == 0
    assert second.returncode == 2
    assert f"another loop runs in this folder (pid {runner.pid} on " in second.stderr

"""Restarts under fire: cancelled between two, and with a clock that somebody sets meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from runner.hostile_project import ENGINE, HostileProject, story
from runner.test_stop_conditions import COUNT, iterations, shell

DRIVER = Path(__file__).with_name("jumping_clock.py")
DAY = 86400


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def command(project: HostileProject, work: str, *options: str) -> list[str]:
    return [str(ENGINE), "run", "-p", "go", "--agent", shell(project, work), *options]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_wait_ends_at_once(project: HostileProject, number: int) -> None:
    """The agent meets a limit that names no reset: five minutes, were it not for the signal."""
    refused = '{"type":"result","is_error":true,"api_error_status":429,"result":"Too much"}'
    client = project.outside / "claude"
    client.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{refused}'\nexit 1\n")
    client.chmod(0o755)
    argv = [str(ENGINE), "run", "-p", "go", "--agent", str(client), "-n", "2"]
    runner = subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", *argv],
        cwd=project.root,
        env={**project.environment, "IS_SANDBOX": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert runner.stderr is not None
    assert any(" (5m0s): Too much" in line for line in iter(runner.stderr.readline, ""))
    runner.send_signal(number)
    _, rest = runner.communicate(timeout=30)
    assert (runner.returncode, iterations(project)) == (130, 1), rest


@pytest.mark.parametrize("seconds", [-400 * DAY, 400 * DAY])
def test_a_clock_that_is_set_neither_ends_nor_hangs_a_run(
    project: HostileProject, seconds: int
) -> None:
    work = COUNT + "[ $n = 3 ] && echo '<response>DONE</response>'; echo $n"
    argv = command(project, work, "--delay", "1s", "--max-duration", "50s", "-n", "5")
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(DRIVER), str(seconds), *argv],
        cwd=project.root,
        env=project.environment,
        capture_output=True,
        text=True,
        timeout=45,
    )
    assert (done.returncode, iterations(project)) == (0, 3), done.stderr
    assert "timeout" not in done.stderr

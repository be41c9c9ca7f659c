"""Nothing that an agent leaves running outlives its iteration, and nothing else is touched."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from runner.hostile_project import (
    ENGINE,
    MARK,
    REPOSITORY,
    Ended,
    HostileProject,
    Witness,
    end_marked,
    story,
)

LEFTOVERS = REPOSITORY / "tests" / "fixtures" / "leftovers"
ENGINES = {"adopting": [str(ENGINE)], "remembering": [str(LEFTOVERS / "without_adoption.py")]}
# Many at once: what matters is that each of them is gone, and each holds the FIFO open.
TOGETHER = ["background", "nohup", "setsid", "double fork", "dead middle", "deaf", "stopped"]


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Sequence[str]:
    found: Sequence[str] = ENGINES[request.param]
    return found


@pytest.fixture
def innocent() -> Iterator[subprocess.Popen[bytes]]:
    """Not below the runner; it looks like a part of another run."""
    environment = {**os.environ, "RALPH_RUN_ID": "20260101-000000-abcdef", "RALPH_ACTIVE": "1"}
    child = subprocess.Popen(["sleep", "300"], env=environment, start_new_session=True)
    yield child
    child.kill()
    child.wait()


def leaves(*ways: str) -> str:
    return shlex.join([sys.executable, str(LEFTOVERS / "leaves.py"), *ways])


def run(project: HostileProject, engine: Sequence[str], *ways: str) -> Ended:
    """One iteration; what it left is gone when the runner is, or soon after."""
    with Witness(project) as witness:
        agent = leaves(*ways)
        return project.run(agent, "-p", "go", iterations=1, witness=witness, engine=engine)


@pytest.mark.parametrize(
    "ways",
    [TOGETHER, ["crowd"], ["open stdout"], ["chatter"], ["bare"], ["bare in the group"]],
    ids=" ".join,
)
def test_all_that_is_left_is_ended(
    project: HostileProject,
    engine: Sequence[str],
    innocent: subprocess.Popen[bytes],
    ways: list[str],
) -> None:
    start = time.monotonic()
    ended = run(project, engine, *ways)
    assert ended.code == 0, ended.screen
    assert time.monotonic() - start < 30
    assert innocent.poll() is None


def test_an_agent_that_hangs_and_hears_nothing_is_gone_12_s_after_its_time(
    project: HostileProject, engine: Sequence[str], innocent: subprocess.Popen[bytes]
) -> None:
    start = time.monotonic()
    with Witness(project) as witness:
        limit = ["--iteration-timeout", "1s", "-p", "go"]
        ended = project.run(leaves("hang"), *limit, iterations=1, witness=witness, engine=engine)
    # Beside the 13 s, the runner itself starts and ends.
    assert time.monotonic() - start < 1 + 12 + 5
    assert ended.code == 1 and "agent timeout" in ended.screen
    assert innocent.poll() is None


def test_an_agent_that_ends_its_parent_ends_with_it(
    project: HostileProject, engine: Sequence[str]
) -> None:
    ended = run(project, engine, "kill the parent")
    assert ended.code == 130, ended.screen
    assert not (project.root / ".ralph-active").exists()


def test_a_daemon_that_forges_the_list_after_the_exit_changes_nothing(
    project: HostileProject, engine: Sequence[str]
) -> None:
    daemon = REPOSITORY / "tests" / "fixtures" / "hostile" / "leaves_a_daemon.py"
    with Witness(project) as witness:
        agent = shlex.join([sys.executable, str(daemon)])
        ended = project.run(agent, iterations=1, witness=witness, engine=engine)
    assert ended.code == 1, ended.screen
    assert (project.root / "ralph" / "tasks.json").read_text() == project.before


LATE = """
(while kill -0 $$ 2>/dev/null; do :; done; sleep 1; echo late > "$OUTSIDE/finished") &
{mark}
echo '<response>DONE</response>'
"""


@pytest.mark.parametrize(("mark", "finished"), [("touch ralph/DONE", True), (":", False)])
def test_after_done_the_children_may_finish(
    project: HostileProject, engine: Sequence[str], mark: str, finished: bool
) -> None:
    program = project.outside / "agent.sh"
    program.write_text(LATE.format(mark=mark))
    ended = project.run(f"sh '{program}'", "-p", "go", iterations=1, engine=engine)
    assert ended.code == 0, ended.screen
    assert (project.outside / "finished").exists() == finished


def test_a_signal_cuts_the_wait_for_the_children_short(project: HostileProject) -> None:
    os.mkfifo(project.outside / "waiting")
    program = project.outside / "agent.sh"
    program.write_text(
        "touch ralph/DONE; echo hm\n"
        '(while kill -0 $$ 2>/dev/null; do :; done; echo > "$OUTSIDE/waiting"; exec sleep 250) &\n'
    )
    argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "-p", "go"]
    environment = project.environment
    argv += ["--agent", f"sh '{program}'"]
    runner = subprocess.Popen(argv, cwd=project.root, env=environment)
    try:
        assert told(project.outside / "waiting", runner)
        runner.send_signal(signal.SIGTERM)
        assert runner.wait(30) == 130
    finally:
        runner.kill()
        end_marked(f"{MARK}={project.mark}")


def told(fifo: Path, runner: subprocess.Popen[bytes]) -> bool:
    """Something was written there, while the runner lives."""
    poll = select.poll()
    poll.register(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), select.POLLIN)
    return bool(poll.poll(30_000)) and runner.poll() is None

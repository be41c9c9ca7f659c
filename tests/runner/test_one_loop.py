"""One loop per folder: whoever comes second is refused, and told by whom."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ralph_engine.core.own_command import RALPH
from runner.hostile_project import DEADLINE, ENGINE, MARK, HostileProject, end_marked

STARTS, ROUNDS = 16, 5
WAITS = 'echo $$ > "$OUTSIDE/reached"; read word < "$OUTSIDE/go"; echo "<response>DONE</response>"'
HINT = (
    f"hint: `{RALPH} watch` follows it, `{RALPH} cancel` ends it;"
    " for a second feature use a worktree"
)


class Loops:
    """Starts of the runner in one folder; each that gets to its agent waits there for a word."""

    def __init__(self, project: HostileProject) -> None:
        self.project = project
        self.agent = project.outside / "agent.sh"
        self.agent.write_text(WAITS)
        self._fifos = []
        for name in ("reached", "go"):
            os.mkfifo(project.outside / name)
            # For both directions: then no one waits for the other end to be opened.
            self._fifos.append(os.open(project.outside / name, os.O_RDWR))
        self._running: list[subprocess.Popen[str]] = []

    def start(self, folder: Path | None = None, **env: str) -> subprocess.Popen[str]:
        argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "-p", "go"]
        started = subprocess.Popen(
            [*argv, "--agent", f"sh '{self.agent}'", "-d", str(folder or self.project.root)],
            cwd=self.project.outside,
            env={**self.project.environment, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._running.append(started)
        return started

    def reached(self) -> None:
        """A loop has come to its agent."""
        word = b""
        while not word.endswith(b"\n"):
            assert select.select([self._fifos[0]], [], [], DEADLINE)[0], "no loop came so far"
            word = os.read(self._fifos[0], 1)

    def let_go(self) -> None:
        os.write(self._fifos[1], b"on\n")

    def lock(self) -> Path:
        status = self.project.root.stat()
        name = f"{status.st_dev:x}-{status.st_ino:x}.lock"
        return self.project.state / "ralph" / "locks" / name

    def close(self) -> None:
        end_marked(f"{MARK}={self.project.mark}")
        for started in self._running:
            started.communicate(timeout=DEADLINE)
        for fd in self._fifos:
            os.close(fd)


@pytest.fixture
def loops(tmp_path: Path) -> Iterator[Loops]:
    found = Loops(HostileProject(tmp_path))
    try:
        yield found
    finally:
        found.close()


def owner_in(screen: str) -> tuple[str, str]:
    """Who is said to run, and on which host."""
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
    words = rf"ralph: another loop runs in this folder \(pid (\d+) on (\S+), since {when}\)\n"
    found = re.fullmatch(words + re.escape(HINT) + "\n", screen)
    assert found, screen
    return found[1], found[2]


def wait_for_all_but_one(started: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    """Those that were refused: the others have until the deadline."""
    ends = {os.pidfd_open(process.pid): process for process in started}
    give_up = time.monotonic() + DEADLINE
    refused = []
    while len(ends) > 1:
        ready = select.select(list(ends), [], [], max(0.0, give_up - time.monotonic()))[0]
        assert ready, f"{len(ends)} loops run at once"
        for fd in ready:
            refused.append(ends.pop(fd))
            os.close(fd)
    for fd in ends:
        os.close(fd)
    return refused


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_of_many_starts_at_once_one_runs_and_the_others_name_it(loops: Loops, round_: int) -> None:
    started = [loops.start() for _ in range(STARTS)]
    refused = wait_for_all_but_one(started)
    [winner] = [process for process in started if process not in refused]
    for process in refused:
        _, screen = process.communicate(timeout=DEADLINE)
        assert process.returncode == 2
        assert owner_in(screen) == (str(winner.pid), socket.gethostname())
    loops.reached()
    loops.let_go()
    assert winner.wait(DEADLINE) == 0
    assert [e["event"] for e in loops.project.journal()].count("run") == 1


def test_a_folder_by_two_names_is_one_folder(loops: Loops) -> None:
    root = loops.project.root
    link = root.parent / "link"
    link.symlink_to(root)
    winner = loops.start()
    loops.reached()
    for other in (link, root / "ralph" / "..", root.parent / "outside" / ".." / "project"):
        process = loops.start(other)
        _, screen = process.communicate(timeout=DEADLINE)
        assert process.returncode == 2
        assert owner_in(screen)[0] == str(winner.pid)
    loops.let_go()
    assert winner.wait(DEADLINE) == 0


def test_two_folders_are_two_loops(loops: Loops) -> None:
    other = loops.project.root.parent / "another"
    loops.project.git("worktree", "add", "-q", str(other))
    both = [loops.start(), loops.start(other)]
    for _ in both:
        loops.reached()
    for _ in both:
        loops.let_go()
    assert [process.wait(DEADLINE) for process in both] == [0, 0]


_FOR_EVER = "print('taken', flush=True); time.sleep(600)"
# The runner sets the mode of the folder, and then takes the lock.
_UNTIL_THE_RUNNER_COMES = """
folder = os.path.dirname(sys.argv[1])
before = os.stat(folder).st_ctime_ns
print('taken', flush=True)
while os.stat(folder).st_ctime_ns == before:
    time.sleep(0.005)
time.sleep(0.15)
"""


@contextmanager
def holder(lock: Path, how_long: str, kind: str = "LOCK_EX") -> Iterator[subprocess.Popen[str]]:
    """Another program that takes the lock, says so, and gives it back at its end."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    program = (
        "import fcntl, os, sys, time\n"
        "held = open(sys.argv[1], 'a')\n"
        f"fcntl.flock(held, fcntl.{kind})\n"
    )
    argv = [sys.executable, "-I", "-c", program + how_long, str(lock)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "taken\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("kind", ["LOCK_SH", "LOCK_EX"])
def test_who_only_looks_does_not_make_a_start_fail(loops: Loops, kind: str) -> None:
    """`status` and hooks take the lock for a moment: here just when the runner wants it."""
    with holder(loops.lock(), _UNTIL_THE_RUNNER_COMES, kind):
        winner = loops.start()
        loops.reached()
    loops.let_go()
    assert winner.wait(DEADLINE) == 0


def test_a_killed_runners_word_is_not_taken_for_the_present_one(loops: Loops) -> None:
    killed = loops.start()
    loops.reached()
    killed.send_signal(signal.SIGKILL)
    killed.wait(DEADLINE)
    assert json.loads(loops.lock().with_suffix(".owner").read_text())["pid"] == killed.pid
    with holder(loops.lock(), _FOR_EVER):
        second = loops.start()
        _, screen = second.communicate(timeout=DEADLINE)
    assert second.returncode == 2
    assert "another loop runs in this folder (it is just starting)" in screen
    end_marked(f"{MARK}={loops.project.mark}")
    winner = loops.start()
    loops.reached()
    loops.let_go()
    assert winner.wait(DEADLINE) == 0


def test_a_number_that_was_given_away_again_is_not_the_owner(loops: Loops) -> None:
    """The pid lives, but it is another program that began at another time."""
    with holder(loops.lock(), _FOR_EVER) as other:
        known = {"pid": other.pid, "host": socket.gethostname(), "since": "then", "started": "1"}
        loops.lock().with_suffix(".owner").write_text(json.dumps(known))
        second = loops.start()
        _, screen = second.communicate(timeout=DEADLINE)
    assert second.returncode == 2 and "(it is just starting)" in screen


def test_who_comes_before_the_word_is_written_waits_for_it(loops: Loops) -> None:
    winner = loops.start()
    loops.reached()
    owner = loops.lock().with_suffix(".owner")
    word = owner.rename(owner.with_name("word"))
    # Whoever opens a FIFO for writing waits until the other looks at it.
    os.mkfifo(owner)
    second = loops.start()
    subprocess.run(["sh", "-c", ': > "$0"', str(owner)], check=True, timeout=DEADLINE)
    word.rename(owner)
    _, screen = second.communicate(timeout=DEADLINE)
    assert second.returncode == 2 and owner_in(screen)[0] == str(winner.pid)
    loops.let_go()
    assert winner.wait(DEADLINE) == 0


@pytest.mark.parametrize(
    "word",
    [b"", b"{", b"[]", b'{"pid": 1}', b'{"pid": "x", "host": {}, "since": 7}', b"[" * 50_000],
    ids=["empty", "torn", "a list", "half", "wrong types", "deep"],
)
def test_a_broken_word_is_no_obstacle(loops: Loops, word: bytes) -> None:
    loops.lock().parent.mkdir(parents=True)
    loops.lock().with_suffix(".owner").write_bytes(word)
    winner = loops.start()
    loops.reached()
    loops.lock().with_suffix(".owner").write_bytes(word)
    second = loops.start()
    _, screen = second.communicate(timeout=DEADLINE)
    assert second.returncode == 2
    assert screen == f"ralph: another loop runs in this folder (it is just starting)\n{HINT}\n"
    loops.let_go()
    assert winner.wait(DEADLINE) == 0


def test_a_lock_that_cannot_be_taken_is_named(loops: Loops) -> None:
    loops.lock().mkdir(parents=True)
    process = loops.start()
    _, screen = process.communicate(timeout=DEADLINE)
    assert process.returncode == 2
    assert f"ralph: the lock {loops.lock()} cannot be taken (" in screen
    assert "hint: free the path, or set XDG_STATE_HOME to a folder of yours" in screen


def test_a_state_folder_that_cannot_be_written_is_named(loops: Loops) -> None:
    process = loops.start(XDG_STATE_HOME="/proc/no-place")
    _, screen = process.communicate(timeout=DEADLINE)
    assert process.returncode == 2
    assert "ralph: state folder /proc/no-place/ralph/locks cannot be made (" in screen


def test_locks_that_cannot_be_looked_at_are_named(loops: Loops) -> None:
    folder = loops.lock().parent
    folder.mkdir(parents=True)
    folder.chmod(0)
    # Root may look everywhere, unless it gives that up.
    powers = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    process = subprocess.run(
        [*(powers if os.geteuid() == 0 else []), sys.executable, "-I", ENGINE, "status"],
        cwd=loops.project.root,
        env=loops.project.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    folder.chmod(0o700)
    assert (process.returncode, process.stdout, process.stderr) == (
        *(2, ""),
        f"ralph: the lock {loops.lock()} cannot be taken (Permission denied)\n"
        "hint: free the path, or set XDG_STATE_HOME to a folder of yours\n",
    )

"""A loop that runs while a test talks to it, and the verbs to talk with."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from runner.hostile_project import DEADLINE, ENGINE, MARK, Ended, Event, HostileProject, end_marked

HONEST_PROGRAM = Path(__file__).resolve().parents[1] / "fixtures" / "agents" / "honest.py"
HONEST = shlex.join([sys.executable, str(HONEST_PROGRAM)])
# Says that it is there, and waits at a FIFO until it is let go.
GATED = 'echo here >> "$OUTSIDE/here"; read -r word < "$OUTSIDE/go"; exec ' + HONEST


class Gate:
    """Where agents wait, each for its word."""

    def __init__(self, project: HostileProject) -> None:
        self._outside, self._gone = project.outside, 0
        if not (self._outside / "go").exists():
            os.mkfifo(self._outside / "go")

    def agents_come(self, number: int) -> None:
        """Until so many agents have been started in this project."""
        here = self._outside / "here"
        until(lambda: here.exists() and len(here.read_text().split()) >= number)

    def let_go(self, over: Callable[[], bool] = lambda: False) -> None:
        """The next agent; the one before it must not read its word."""
        self._gone += 1
        self.agents_come(self._gone)
        until(lambda: self._let_go() or over())

    def _let_go(self) -> bool:
        try:
            fd = os.open(self._outside / "go", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        os.write(fd, b"go\n")
        os.close(fd)
        return True


class LiveLoop:
    def __init__(
        self, project: HostileProject, *options: str, agent: str = "", **added: str
    ) -> None:
        """`added` comes to the loop's environment."""
        self.project, self._gate = project, Gate(project)
        program = project.outside / "gated.sh"
        program.write_text(agent or GATED)
        self._screen = (project.outside.parent / f"live-{time.monotonic_ns()}").open("w+b")
        argv = [sys.executable, "-I", "-X", "utf8", str(ENGINE), "run", "--delay", "0s"]
        self.process = subprocess.Popen(
            [*argv, "--agent", f"sh '{program}'", *options],
            cwd=project.root,
            env={**project.environment, **added},
            stdin=subprocess.DEVNULL,
            stdout=self._screen,
            stderr=self._screen,
            start_new_session=True,
        )

    def agents_come(self, number: int) -> None:
        self._gate.agents_come(number)

    def let_go(self) -> None:
        self._gate.let_go(lambda: self.process.poll() is not None)

    def pause(self) -> None:
        """Asked for while an agent works, which is then let go."""
        with background(self.project, "pause") as pausing:
            asked = "ralph/project-*/requests/pause"
            until(lambda: bool(list(self.project.state.glob(asked))))
            assert pausing.poll() is None
            self.let_go()
            assert pausing.wait(DEADLINE) == 0

    def has_event(self, name: str, times: int = 1) -> None:
        until(lambda: sum(e["event"] == name for e in events(self.project)) >= times)

    def end(self) -> Ended:
        code = self.process.wait(DEADLINE)
        self._screen.seek(0)
        return Ended(code, self._screen.read().decode(errors="replace"))

    def __enter__(self) -> LiveLoop:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._screen.close()
        end_marked(f"{MARK}={self.project.mark}")


def background(project: HostileProject, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", str(ENGINE), *words],
        cwd=project.root,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def verb(project: HostileProject, *words: str, **added: str) -> Ended:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(ENGINE), *words],
        cwd=project.root,
        env={**project.environment, **added},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=DEADLINE,
    )
    return Ended(done.returncode, done.stdout.decode(errors="replace"))


def events(project: HostileProject) -> list[Event]:
    """Also while a line is being written."""
    found = []
    for path in sorted(project.state.glob("ralph/project-*/runs/*/journal.jsonl")):
        for line in path.read_bytes().split(b"\n")[:-1]:
            found.append(json.loads(line))
    return found


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)

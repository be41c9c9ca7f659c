"""The runner at a terminal of its own, which can be typed at, read and taken away."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from runner.hostile_project import DEADLINE, ENGINE, MARK, HostileProject, end_marked, marked

# On opening its first terminal, the leader of a session gets it as the controlling one.
AT_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'
CTRL_C, CTRL_D = b"\x03", b"\x04"
RUNNER = (sys.executable, "-I", "-X", "utf8", str(ENGINE))


class PtySession:
    def __init__(
        self,
        project: HostileProject,
        *options: str,
        verb: str = "run",
        env: Mapping[str, str] | None = None,
        runner: Sequence[str] = RUNNER,
    ) -> None:
        self._mark, self.screen, self._found = f"{MARK}={project.mark}", "", 0
        self._master, slave = os.openpty()
        self.process = subprocess.Popen(
            ["sh", "-c", AT_TERMINAL, os.ttyname(slave), *runner, verb, *options],
            cwd=project.root,
            env={**project.environment, **(env or {})},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._ended = os.pidfd_open(self.process.pid)
        # Kept until the runner has it: a terminal without a user hangs up.
        self._slave: int | None = slave

    def expect(self, text: str) -> None:
        give_up = time.monotonic() + DEADLINE
        while text not in self.screen:
            assert self._look(give_up), f"ended without {text!r}: {self.screen}"

    def expect_next(self, text: str) -> None:
        """Behind what the last call found."""
        give_up = time.monotonic() + DEADLINE
        while text not in self.screen[self._found :]:
            assert self._look(give_up), f"ended without {text!r}: {self.screen}"
        self._found = self.screen.index(text, self._found) + len(text)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        self._let_go()
        os.close(self._master)
        self._master = -1

    def wait(self) -> int:
        """The exit code; nothing that the runner started may be alive by then."""
        give_up = time.monotonic() + DEADLINE
        while self._look(give_up):
            pass
        code = self.process.wait()
        # Here, because whatever is left then is ended when the session is over.
        left = marked(self._mark)
        assert left == [], f"still running: {left}; {self.screen}"
        return code

    def _look(self, give_up: float) -> bool:
        """Reads what is shown; False once the runner has ended and all was read."""
        watched = [fd for fd in (self._master, self._ended) if fd >= 0]
        ready = select.select(watched, [], [], max(0.0, give_up - time.monotonic()))[0]
        assert ready, f"nothing happens at the terminal; so far: {self.screen}"
        if self._master not in ready:
            self._let_go()
            return self._master >= 0 and bool(select.select([self._master], [], [], 0)[0])
        try:
            self.screen += os.read(self._master, 65536).decode("utf-8", "replace")
        except OSError:  # its last user is gone
            os.close(self._master)
            self._master = -1
        return True

    def _let_go(self) -> None:
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None

    def __enter__(self) -> PtySession:
        return self

    def __exit__(self, *_: object) -> None:
        end_marked(self._mark)
        self.process.wait(DEADLINE)
        self._let_go()
        for fd in (self._master, self._ended):
            if fd >= 0:
                os.close(fd)


class News:
    """What held.py tells, and the word it waits for."""

    def __init__(self, project: HostileProject) -> None:
        self._outside = project.outside
        for name in ("news", "go"):
            os.mkfifo(self._outside / name)
        # For both directions: then no one waits for the other end to be opened.
        self._news = os.open(self._outside / "news", os.O_RDWR)
        self._go = os.open(self._outside / "go", os.O_RDWR)
        self._told = b""

    def hold(self, phase: str) -> None:
        (self._outside / f"hold-{phase}").touch()

    def wait_for(self, name: str, times: int = 1) -> None:
        give_up = time.monotonic() + DEADLINE
        while self._told.split().count(name.encode()) < times:
            left = max(0.0, give_up - time.monotonic())
            assert select.select([self._news], [], [], left)[0], f"no {name} in {self._told!r}"
            self._told += os.read(self._news, 65536)

    def all_told(self) -> list[str]:
        while select.select([self._news], [], [], 0)[0]:
            self._told += os.read(self._news, 65536)
        return self._told.decode().split()

    def let_go(self) -> None:
        os.write(self._go, b"on\n")

    def __enter__(self) -> News:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._news)
        os.close(self._go)


INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP

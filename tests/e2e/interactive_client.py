"""The real Claude Code client at a terminal of its own: typed at, and read from its screen."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import termios
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import pyte
from e2e import claude_client
from e2e.claude_client import MARK, REPOSITORY, client_path
from ralph_engine.scripted_model import Request, ScriptedModel, Turn
from runner.pty_session import AT_TERMINAL

DEADLINE = 60.0
ENTER, ESC, UP, ERASE_LINE = "\r", "\x1b", "\x1b[A", "\x15"
# So wide that hardly a line is parted, so high that nothing scrolls away.
_ROWS, _COLUMNS = 80, 200
_READY = "bypass permissions on"
_PROMPT = "❯"
_ENVIRONMENT = {
    "TERM": "xterm-256color",
    # It asks a host outside even with all other traffic switched off.
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
}


class InteractiveClient:
    """Ready to be typed at inside its `with` block; all that it started is gone behind it."""

    def __init__(
        self,
        model: ScriptedModel,
        project: Path,
        home: Path,
        *,
        version: str = "newest",
        args: Sequence[str] = (),
    ) -> None:
        _settle_in(home, project)
        environment = claude_client._offline_environment(model, home, home)
        self._environment = {**environment, **_ENVIRONMENT}
        command = [str(client_path(version)), "--plugin-dir", str(REPOSITORY), *args]
        self._command = [*command, "--dangerously-skip-permissions"]
        self._project, self._home = project, home
        self._screen = pyte.Screen(_COLUMNS, _ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = threading.Condition()
        self._ended: Exception | None = None

    def __enter__(self) -> InteractiveClient:
        self._master, slave = os.openpty()
        size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self._screen.write_process_input = self.press
        self._process = subprocess.Popen(
            ["sh", "-c", AT_TERMINAL, os.ttyname(slave), *self._command],
            cwd=self._project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        try:
            self.expect(_READY)
        except BaseException:
            os.close(slave)
            self.__exit__()
            raise
        # Not before: a terminal that nobody has opened yet hangs up.
        os.close(slave)
        return self

    def __exit__(self, *_: object) -> None:
        claude_client._kill(self._process, self._environment[MARK])
        self._reader.join(DEADLINE)
        os.close(self._master)

    @property
    def text(self) -> str:
        """All that stands on the screen, its lines joined as if none had been parted."""
        with self._changed:
            return self._text()

    def expect(self, text: str, times: int = 1) -> None:
        self._wait(lambda: self._text().count(text) >= times, f"no {text!r}")

    def expect_typed(self, line: str) -> None:
        wanted = line.rstrip()
        self._wait(lambda: self._typed().startswith(wanted), f"{line!r} is not in the input line")

    def submit(self, line: str) -> None:
        """As a person does: Enter comes when the line stands there, and takes it away."""
        self.press(line)
        self.expect_typed(line)
        self._enter()

    def submit_in_turn(self, line: str) -> None:
        """The client is at work: the line waits, and once that is recorded hooks know of it."""
        self.submit(line)
        # The screen never rests during a turn, so the record is looked at again and again.
        self._wait(lambda: self._is_recorded(line.lstrip("/")), f"{line!r} does not wait")

    def submit_pasted(self, before: str, pasted: str) -> None:
        """A line whose end comes from the clipboard; the client shows a stand-in for it."""
        self.press(before)
        self.expect_typed(before)
        self.press(f"\x1b[200~{pasted}\x1b[201~")
        self._wait(lambda: "[Pasted text" in self._typed(), "nothing is pasted")
        self._enter()

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def _enter(self) -> None:
        with self._changed:
            line = self._typed()
        self.press(ENTER)
        self._wait(lambda: self._typed() != line, f"{line!r} is not sent")

    def _wait(self, condition: Callable[[], bool], trouble: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or condition(), DEADLINE)
            assert condition(), f"{trouble} ({self._ended or 'time is over'}):\n{self._lines()}"

    def _read(self) -> None:
        try:
            while data := os.read(self._master, 65536):
                with self._changed:
                    self._stream.feed(data)
                    self._changed.notify_all()
        except Exception as error:  # an OSError once the terminal has no user left
            self._ended = error
        with self._changed:
            self._changed.notify_all()

    def _is_recorded(self, line: str) -> bool:
        transcripts = self._home.glob(".claude/projects/*/*.jsonl")
        entries = [entry for path in transcripts for entry in path.read_text().splitlines()]
        return any('"operation":"enqueue"' in entry and line in entry for entry in entries)

    def _text(self) -> str:
        return " ".join(self._lines().split())

    def _lines(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display if line.strip())

    def _typed(self) -> str:
        """The input line; above it the same sign stands before what was sent already."""
        lines = [line for line in self._screen.display if line.startswith(_PROMPT)]
        return " ".join(lines[-1][1:].split()) if lines else ""


class Held:
    """A turn that the model gives when it is told to, so that a person can act meanwhile."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._asked, self._let_go = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> Turn:
        self._asked.set()
        assert self._let_go.wait(DEADLINE), "nobody let the turn go"
        return self._turn

    def wait_until_asked(self) -> None:
        assert self._asked.wait(DEADLINE), "the client never asked for this turn"

    def let_go(self) -> None:
        self._let_go.set()


def _settle_in(home: Path, project: Path) -> None:
    """All that the client would ask at its first start has been answered."""
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    known: dict[str, Any] = {
        "hasCompletedOnboarding": True,
        "lastOnboardingVersion": "99.0.0",
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["sk-ant-test"], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True}},
    }
    (home / ".claude.json").write_text(json.dumps(known))
    accepted = {"skipDangerousModePermissionPrompt": True}
    (home / ".claude" / "settings.json").write_text(json.dumps(accepted))

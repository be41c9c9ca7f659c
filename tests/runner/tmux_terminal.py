"""A terminal that nobody sits at: tmux draws it, a test reads its screen as text."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable, NamedTuple

from runner.hostile_project import DEADLINE

_SETTINGS = "set -g status off\nset -g history-limit 5000\n"
# The shell of whoever sits there: it outlives the program, and its Ctrl-C.
_SHELL = 'trap : INT; "$@"; echo $? >"$0"; exec sleep 600'
_TIMES = (
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "CLOCK"),
    (re.compile(r"\b(?:\d+h)?(?:\d+m)?\d+s\b"), "SPAN"),
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b"), "RUN"),
)


class Cursor(NamedTuple):
    column: int
    row: int
    visible: bool


class TmuxTerminal:
    """One program on a terminal of its own; after its end the screen stays as it was left."""

    def __init__(
        self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], size: tuple[int, int]
    ) -> None:
        # Not below pytest's folder: the path of a socket may have about a hundred characters.
        self._folder = Path(tempfile.mkdtemp(prefix="ralph-tmux-"))
        (self._folder / "conf").write_text(_SETTINGS)
        self._environment = {**environment, "LANG": "C.UTF-8", "SHELL": "/bin/sh"}
        columns, lines = map(str, size)
        self._tmux(
            *("-f", str(self._folder / "conf"), "new-session", "-d", "-x", columns, "-y", lines),
            *("-c", str(cwd), "--", "sh", "-c", _SHELL, str(self._folder / "code"), *argv),
        )

    def screen(self) -> str:
        """What a person would see now, without the blanks at its ends."""
        return self._tmux("capture-pane", "-p").rstrip("\n")

    def whole(self) -> str:
        """The screen, and what has scrolled away."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-").rstrip("\n")

    def coloured(self) -> str:
        return self._tmux("capture-pane", "-p", "-e")

    def expect(self, *texts: str) -> str:
        return self.until(lambda screen: all(text in screen for text in texts), " ".join(texts))

    def until(self, true: Callable[[str], bool], what: str) -> str:
        give_up = time.monotonic() + DEADLINE
        while not true(screen := self.screen()):
            assert time.monotonic() < give_up, f"never seen: {what}; the screen:\n{screen}"
            time.sleep(0.05)
        return screen

    def type(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def resize(self, columns: int, lines: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def cursor(self) -> Cursor:
        column, row, visible = self._ask("#{cursor_x} #{cursor_y} #{cursor_flag}").split()
        return Cursor(int(column), int(row), visible == "1")

    def pid(self) -> int:
        """Of the program, the only child of its shell."""
        shell = self._ask("#{pane_pid}")
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text())

    def wait(self) -> int:
        """The exit code of the program, as a shell tells it."""
        code, give_up = self._folder / "code", time.monotonic() + DEADLINE
        while not code.exists() or not code.read_text().endswith("\n"):
            assert time.monotonic() < give_up, f"it does not end:\n{self.screen()}"
            time.sleep(0.05)
        return int(code.read_text())

    def _ask(self, form: str) -> str:
        return self._tmux("display-message", "-p", form).strip()

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-S", str(self._folder / "socket"), *words],
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def __enter__(self) -> TmuxTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")
        shutil.rmtree(self._folder)


def untimed(screen: str) -> str:
    for pattern, name in _TIMES:
        screen = pattern.sub(name, screen)
    return screen

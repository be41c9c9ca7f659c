"""`demo`: the real runner with a scripted agent, or model, in a throw-away project."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Callable

from . import demo_cast, demo_folder, demo_view, demo_words, throw_away
from .core import files, paths, tasks
from .core.own_command import RALPH
from .failure import Failure
from .harmless import harmless
from .stops import INTERRUPTED

_ENGINE = Path(__file__).resolve().parent
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--claude",
        action="store_true",
        help="by the installed Claude Code and this plugin's hooks, with a scripted model",
    )
    parser.add_argument("--keep", action="store_true", help="keep the project and say where it is")


def main(options: argparse.Namespace) -> int:
    for program in ("git", "sh"):
        if shutil.which(program) is None:
            raise Failure(f"the demo needs {program}, which is not on PATH: install it")
    stop = _Stop()
    throw_away.sweep("demo")
    folder = throw_away.make("demo")
    try:
        locks = () if options.keep else (throw_away.hold(folder),)
        with (demo_cast.claude if options.claude else demo_cast.script)(folder) as cast:
            _Demo(folder, stop, cast, locks).play()
    finally:
        if options.keep:
            print(harmless("\n".join([*_reports(folder), f"Kept: {folder}"])))
        else:
            throw_away.remove(folder)
    return INTERRUPTED if stop.asked else 0


def _reports(folder: str) -> list[str]:
    runs = os.path.join(folder, demo_folder.PROJECT, paths.DOT_FOLDER, "runs")
    return [f"Report: {path}" for path in sorted(Path(runs).glob("*/report.html"))]


class _Stop:
    """Ctrl-C and its kin are noted and passed on.

    An exception instead could come between the making of the folder and its removal.
    """

    def __init__(self) -> None:
        self.asked = False
        self._child: subprocess.Popen[str] | None = None
        for number in _SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._received)

    def pass_on_to(self, child: subprocess.Popen[str]) -> None:
        self._child = child
        if self.asked:
            child.send_signal(signal.SIGINT)

    def _received(self, *_: object) -> None:
        self.asked = True
        if self._child is not None:
            self._child.send_signal(signal.SIGINT)


class _Demo:
    def __init__(
        self, folder: str, stop: _Stop, cast: demo_cast.Cast, locks: tuple[int, ...]
    ) -> None:
        self._folder, self._stop, self._cast, self._locks = folder, stop, cast, locks
        self._project = os.path.join(folder, demo_folder.PROJECT)
        self._view = demo_view.on(sys.stdout, os.environ)
        self._words = demo_words.Words(json.loads(demo_folder.LIST.read_text(encoding="utf-8")))
        self._events: list[demo_words.Event] = []
        self._other: list[str] = []

    def play(self) -> None:
        for act in (self._open, self._loop, self._verify, self._close):
            if not self._stop.asked:
                act()
        if self._stop.asked:
            # The terminal may be what is gone.
            with contextlib.suppress(OSError):
                self._view.finish()

    def _open(self) -> None:
        for line in self._cast.opening:
            self._view.say(line)
        demo_folder.make_project(self._folder, self._cast.environment)
        self._view.heads("the agent says", self._cast.watchers)

    def _loop(self) -> None:
        words = ("run", "--json", "--no-sandbox", "--delay", "0s", "--agent", self._cast.command)
        self._engine(self._narrate, *words)

    def _verify(self) -> None:
        self._view.say("")
        self._view.say(demo_words.VERIFY, demo_view.BOLD)
        self._engine(self._verified, "verify")

    def _close(self) -> None:
        path = paths.tasks(paths.DEFAULT_RALPH_DIR)
        after = json.loads(files.read_bytes(self._project, path, tasks.SIZE_LIMIT))
        first, *rest = demo_words.closing(demo_words.figures(self._events, after))
        self._view.say("")
        self._view.say(first, demo_view.BOLD)
        for line in rest:
            self._view.say(line)
        if self._cast.hooks:
            self._view.say(self._cast.hooks.closing())
        self._view.say(demo_words.REPORT)
        # Not wrapped: it is there to be copied.
        print(harmless(f"Next, in a project of yours: {RALPH} init"), flush=True)

    def _engine(self, take: Callable[[str], None], *words: str) -> None:
        """A verb of ralph.sh on the project, line by line."""
        self._other.clear()
        code = self._read(take, [*demo_cast.PYTHON, str(_ENGINE / "__main__.py"), *words])
        if code and not self._stop.asked:
            self._view.finish()
            raise Failure(f"{words[0]} ended with {code}: {' '.join(self._other)}")

    def _read(self, take: Callable[[str], None], argv: list[str]) -> int:
        # In a session of its own a Ctrl-C reaches it once, through us.
        with subprocess.Popen(
            argv,
            cwd=self._project,
            env=self._cast.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            # Where we are killed, the runner may work on for a moment.
            pass_fds=self._locks,
        ) as child:
            self._stop.pass_on_to(child)
            try:
                for line in child.stdout or ():
                    if not self._stop.asked:
                        take(line.rstrip("\n"))
                return child.wait()
            finally:
                if child.poll() is None:
                    child.send_signal(signal.SIGINT)

    def _narrate(self, line: str) -> None:
        if not line.startswith("{"):
            self._other.append(line)
            return
        event = json.loads(line)
        self._events.append(event)
        hooks = self._cast.hooks
        for shown in (hooks.before(event) if hooks else None, self._words.line(event)):
            if shown:
                self._view.show(shown)

    def _verified(self, line: str) -> None:
        self._other.append(line)
        self._view.say("   " + line.partition(" (log: ")[0], indent=" " * 8)

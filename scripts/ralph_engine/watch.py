"""`watch`: the loop of this folder from another terminal; only reads."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from . import journal, live, lock, pinned, run_options, settings, state_folder, terminal
from .core import paths
from .core.own_command import RALPH
from .display import Display
from .event_lines import Entry, ending
from .failure import Failure
from .harmless import harmless
from .stops import INTERRUPTED

_SLICE = 0.2
_LOOKED_EVERY = 1.0
_CUT_OFF = f"was killed: {RALPH} resume goes on with it"

add_arguments = run_options.add_project_argument


class View(Protocol):
    """`past` is for what happened before: told in brief by `begin`."""

    def past(self, entry: Entry) -> None: ...
    def begin(self) -> None: ...
    def event(self, entry: Entry) -> None: ...
    def pulse(self) -> None: ...
    def close(self) -> None: ...


def main(options: argparse.Namespace) -> int:
    stop = _Stop()
    watch = _Watch(run_options.project_folder(options.project_dir), stop)
    try:
        watch.to_the_end()
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        # The terminal is gone, and with it whoever watched.
        return 0
    return INTERRUPTED if stop.asked else 0


class _Stop:
    """Noted, not raised: an exception could come between a write and the note that it was made."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._received)
        signal.signal(signal.SIGCONT, lambda *_: pinned.forget())

    def _received(self, *_: object) -> None:
        self.asked = True


class _Watch:
    def __init__(self, root: str, stop: _Stop) -> None:
        self._lock = state_folder.lock_path(root, os.environ)
        self._state = state_folder.of_project(root, os.environ)
        self._root, self._stop = root, stop

    def to_the_end(self) -> None:
        followed = False
        while not self._stop.asked and (owner := lock.owner(self._lock)):
            name = str(owner.get("run", ""))
            path = self._state / "runs" / name / journal.NAME
            if paths.is_session_id(name) and path.exists():
                self._follow(path, name)
                followed = True
            else:
                time.sleep(_SLICE)
        if not followed and not self._stop.asked:
            self._tell_the_last()

    def _follow(self, path: Path, name: str) -> None:
        view = _view(self._root)
        try:
            with _opened(path) as tail:
                status = self._until_it_is_over(tail, view, name)
        finally:
            view.close()
        if not self._stop.asked:
            _say(f"the loop ended: {ending(status.end)}" if status.end else f"the loop {_CUT_OFF}")

    def _until_it_is_over(self, tail: journal.Tail, view: View, name: str) -> live.Status:
        status = self._read(tail, view.past, live.Status())
        view.begin()
        look_at = 0.0
        while not self._stop.asked:
            status = self._read(tail, view.event, status)
            view.pulse()
            if status.end or time.monotonic() > look_at:
                if not self._still_runs(name):
                    break
                look_at = time.monotonic() + _LOOKED_EVERY
            time.sleep(_SLICE)
        return self._read(tail, view.event, status)

    def _read(
        self, tail: journal.Tail, take: Callable[[Entry], None], status: live.Status
    ) -> live.Status:
        for entry in tail.read():
            if self._stop.asked:
                break
            take(entry)
            status = live.after(status, entry)
        return status

    def _still_runs(self, name: str) -> bool:
        owner = lock.owner(self._lock)
        return owner is not None and owner.get("run") == name

    def _tell_the_last(self) -> None:
        folder = journal.newest(self._state)
        if folder is None:
            _say("no loop has run here")
            return
        with _opened(folder / journal.NAME) as tail:
            status = self._read(tail, lambda entry: None, live.Status())
        lines = live.brief(status, time.time())
        if status.end:
            lines.append(f"no loop runs here; the last one ended {status.end['time']}: ")
            lines[-1] += ending(status.end)
        else:
            lines.append(f"no loop runs here; the last one {_CUT_OFF}")
        _say("\n".join(lines))


def _opened(path: Path) -> journal.Tail:
    try:
        return journal.Tail(path)
    except OSError as error:
        raise Failure(
            f"{path} cannot be read ({error.strerror})", "check its permissions"
        ) from error


def _view(root: str) -> View:
    display, with_agent = _wishes(root)
    found = terminal.of(sys.stdout, os.environ)
    if found:
        from .live_view import LiveView  # rich takes its time

        return LiveView(found, display, with_agent)
    from .timed_lines import TimedLines

    return TimedLines(with_agent)


def _wishes(root: str) -> tuple[Display, bool]:
    """Settings that a person is just editing are no reason to see nothing."""
    try:
        chosen = settings.read(root, os.environ, {})
    except Failure:
        return Display(), True
    return chosen.display, chosen.stream_agent_output


def _say(text: str) -> None:
    print(harmless(text), flush=True)

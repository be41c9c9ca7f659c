"""Signals: the first asks, the second ends all that runs, the third leaves; a hangup is nothing.

Signals belong to the process, and so does what is known of them here. A handler runs between any
two steps of the program, so it only counts, kills and writes one line: no print, which may be
under way already, and nothing that raises, but at a question or before anything was begun.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from . import descendants, pinned
from .stops import INTERRUPTED

_AGAIN = 0.2


@dataclass
class _Known:
    count: int = 0
    asking: bool = False
    what: str = "the look around before the start"
    ends: str = "within 30 s"
    is_job: bool = True
    mark: str = ""
    leave: Callable[[], None] = lambda: None


_known = _Known()


def install() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _received)
    # Not SIG_IGN: every program that we start would inherit that.
    signal.signal(signal.SIGHUP, lambda *_: None)
    signal.signal(signal.SIGALRM, _kill_jobs)
    signal.signal(signal.SIGCONT, lambda *_: pinned.forget())


def begin(mark: str, leave: Callable[[], None]) -> None:
    """From now on there is a run to save: its programs carry `mark`, and it is left by `leave`."""
    _known.what, _known.ends, _known.is_job = "the runner's own work", "within seconds", False
    _known.mark, _known.leave = mark, leave


def finish() -> None:
    """Python takes its handlers away before it ends: an alarm after that would kill us."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def asked() -> bool:
    return _known.count > 0


def leave_if_asked() -> None:
    """Where nothing was begun yet."""
    if asked():
        raise KeyboardInterrupt


@contextmanager
def at_a_question() -> Iterator[None]:
    """A read from the terminal goes on after a signal, unless its handler raises."""
    with _doing("a question", "at once", False):
        _known.asking = True
        try:
            leave_if_asked()
            yield
        finally:
            _known.asking = False


@contextmanager
def job(what: str) -> Iterator[None]:
    """While all below us is that program and what it started."""
    with _doing(what, "within about 12 s: INT, after 5 s TERM, after 5 s KILL", True):
        yield


@contextmanager
def wait() -> Iterator[None]:
    with _doing("a wait", "at once", False):
        yield


@contextmanager
def _doing(what: str, ends: str, is_job: bool) -> Iterator[None]:
    before = _known.what, _known.ends, _known.is_job
    _known.what, _known.ends, _known.is_job = what, ends, is_job
    try:
        yield
    finally:
        _known.what, _known.ends, _known.is_job = before


def _received(*_: object) -> None:
    _known.count += 1
    if _known.count == 1:
        still = f"still running: {_known.what}, which ends {_known.ends}"
        _write(f"Received signal, shutting down... ({still}; once more: end it now)")
    elif not _known.mark:
        _kill_jobs()
    elif _known.count == 2:
        _write("Received a second signal: what runs is killed, its work judged (once more: leave)")
        # Again and again: a program that is just being started does not carry the mark yet.
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
        _kill_jobs()
    else:
        _leave_now()
    if _known.asking or _known.count > 1 and not _known.mark:
        raise KeyboardInterrupt


def _kill_jobs(*_: object) -> None:
    try:
        descendants.kill_once(_known.mark, all_below=_known.is_job)
    except OSError:
        pass


def _leave_now() -> None:
    try:
        _known.leave()
    finally:
        os._exit(INTERRUPTED)


def _write(line: str) -> None:
    if sys.stderr is None:
        # Closed by the caller: the number 2 may be any file of ours by now.
        return
    try:
        pinned.interject(f"[ralph] {line}")
    except OSError:
        pass

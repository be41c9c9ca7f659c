"""Runs one program to its end: own session, constant memory, a deadline, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from . import descendants
from .descendants import Watch
from .streams import OnOutput, Streams

TIMED_OUT, IDLE, STOPPED = "timeout", "idle", "signal"
_GRACE = 5.0
_SLICE = 0.2
_LAST_WORDS = 1.0


class Job(NamedTuple):
    """`linger`, asked at the program's own end: seconds that its descendants may still take.

    `confined`: argv is a sandbox's, and the program itself is the one that it started.
    """

    argv: list[str]
    cwd: str
    environment: Mapping[str, str]
    stdin: bytes
    seconds: float
    idle_seconds: float | None = None
    is_busy: Callable[[], bool] = lambda: False
    merged: bool = False
    linger: Callable[[], float] = lambda: 0.0
    confined: bool = False


class Ended(NamedTuple):
    """cause is None where the program ended by itself; `left`: processes that would not go.

    `outside`: why it never ran in its sandbox, as far as anyone knows.
    """

    code: int | None
    cause: str | None
    problem: str
    left: tuple[int, ...] = ()
    outside: str = ""


def run(job: Job, on_output: OnOutput, stop_asked: Callable[[], bool], mark: str) -> Ended:
    """`mark` is a NAME=value in the program's environment by which leftovers are known."""
    watch = descendants.watch(mark)
    try:
        return _run(job, on_output, stop_asked, watch)
    finally:
        descendants.forget(watch)


def _run(job: Job, on_output: OnOutput, stop_asked: Callable[[], bool], watch: Watch) -> Ended:
    try:
        child = _start(job)
    except OSError as error:
        return Ended(None, None, f"{job.argv[0]}: {error.strerror}")
    except ValueError as error:
        # A NUL in an argument, which JSON can hold and no program can be given.
        return Ended(None, None, f"{job.argv[0]}: {error}")
    watch.follow(child.pid)
    left: list[int] = []
    try:
        _feed(child, job.stdin)
        with Streams(child, on_output) as streams:
            cause = _attend(child, job, streams, stop_asked, watch)
    finally:
        if child.poll() is None:
            _end(child, job, watch)
        left = watch.sweep()
    return Ended(child.returncode, cause, "", tuple(left))


def _start(job: Job) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        job.argv,
        cwd=job.cwd,
        env=dict(job.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if job.merged else subprocess.PIPE,
        start_new_session=True,
    )


def _feed(child: subprocess.Popen[bytes], data: bytes) -> None:
    """In a thread: a program that never reads must not keep us from its deadline."""
    pipe = child.stdin
    assert pipe is not None

    def write() -> None:
        try:
            with pipe:
                pipe.write(data)
        except OSError:
            pass

    threading.Thread(target=write, daemon=True).start()


def _attend(
    child: subprocess.Popen[bytes],
    job: Job,
    streams: Streams,
    stop_asked: Callable[[], bool],
    watch: Watch,
) -> str | None:
    """From the start to the end; the cause, where it was not the program's own."""
    cause = _until_exit(child, job, streams, stop_asked, watch)
    if cause:
        _end(child, job, watch)
        return cause
    watch.exited()
    streams.take_last_words(_LAST_WORDS)
    _linger(job.linger(), streams, stop_asked, watch)
    return None


def _until_exit(
    child: subprocess.Popen[bytes],
    job: Job,
    streams: Streams,
    stop_asked: Callable[[], bool],
    watch: Watch,
) -> str | None:
    start = last_output = time.monotonic()
    while child.poll() is None:
        came = streams.pass_on(_SLICE)
        watch.look()
        if came or job.is_busy():
            last_output = time.monotonic()
        cause = _overdue(job, start, last_output) or (STOPPED if stop_asked() else None)
        if cause and child.poll() is None:
            return cause
    return None


def _overdue(job: Job, start: float, last_output: float) -> str | None:
    now = time.monotonic()
    if now - start > job.seconds:
        return TIMED_OUT
    if job.idle_seconds is not None and now - last_output > job.idle_seconds:
        return IDLE
    return None


def _linger(seconds: float, streams: Streams, stop_asked: Callable[[], bool], watch: Watch) -> None:
    """Read on meanwhile: a full pipe would keep them from finishing."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not stop_asked() and watch.left():
        streams.pass_on_for(_SLICE)


def _end(child: subprocess.Popen[bytes], job: Job, watch: Watch) -> None:
    """INT lets an agent save its session; KILL needs no one's consent."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        # A sandbox itself would die of the first of them, and take the agent with it unasked.
        asked = job.confined and number != signal.SIGKILL
        inner = descendants.group_below(child.pid) if asked else 0
        try:
            # Not waited for yet, so the number is still the child's.
            os.killpg(inner or child.pid, number)
        except (ProcessLookupError, PermissionError):
            pass
        if _gone(child, _GRACE, watch):
            break
    watch.exited()


def _gone(child: subprocess.Popen[bytes], seconds: float, watch: Watch) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        watch.look()
        try:
            child.wait(_SLICE)
            return True
        except subprocess.TimeoutExpired:
            continue
    return False

"""Runs one program to its end: own session, constant memory, a deadline, nothing left behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, NamedTuple

from . import descendants

TIMED_OUT, IDLE, STOPPED = "timeout", "idle", "signal"
_GRACE = 5.0
_SLICE = 0.2
_LAST_WORDS = 1.0
_CHUNK = 65536

OnOutput = Callable[[str, bytes], None]


class Job(NamedTuple):
    argv: list[str]
    cwd: str
    environment: Mapping[str, str]
    stdin: bytes
    seconds: float
    idle_seconds: float | None = None
    is_busy: Callable[[], bool] = lambda: False
    merged: bool = False


class Ended(NamedTuple):
    """cause is None where the program ended by itself."""

    code: int | None
    cause: str | None
    problem: str


def run(job: Job, on_output: OnOutput, stop_asked: Callable[[], bool], mark: str) -> Ended:
    """`mark` is a NAME=value in the program's environment by which leftovers are known."""
    before = descendants.below_us()
    try:
        child = subprocess.Popen(
            job.argv,
            cwd=job.cwd,
            env=dict(job.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if job.merged else subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Ended(None, None, f"{job.argv[0]}: {error.strerror}")
    except ValueError as error:
        # A NUL in an argument, which JSON can hold and no program can be given.
        return Ended(None, None, f"{job.argv[0]}: {error}")
    _feed(child, job.stdin)
    try:
        cause = _watch(child, job, on_output, stop_asked)
        if cause:
            _end(child)
    finally:
        _close(child)
        if child.poll() is None:
            _end(child)
        descendants.sweep(mark, before)
    return Ended(child.returncode, cause, "")


def _feed(child: subprocess.Popen[bytes], data: bytes) -> None:
    """In a thread: a program that never reads must not keep us from its deadline."""

    def write() -> None:
        try:
            with _pipe(child.stdin) as pipe:
                pipe.write(data)
        except OSError:
            pass

    threading.Thread(target=write, daemon=True).start()


def _watch(
    child: subprocess.Popen[bytes], job: Job, on_output: OnOutput, stop_asked: Callable[[], bool]
) -> str | None:
    start = last_output = time.monotonic()
    exited: float | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(_pipe(child.stdout), selectors.EVENT_READ, "stdout")
        if child.stderr is not None:
            selector.register(child.stderr, selectors.EVENT_READ, "stderr")
        while child.poll() is None or selector.get_map():
            came = _pass_on(child, selector, on_output)
            if child.poll() is not None:
                exited = exited or time.monotonic()
                # What it left running may chatter for ever; its own words are read by now.
                if not came or time.monotonic() - exited > _LAST_WORDS:
                    return None
            if came or job.is_busy():
                last_output = time.monotonic()
            cause = _overdue(job, start, last_output) or (STOPPED if stop_asked() else None)
            if cause:
                return cause
    return None


def _pass_on(
    child: subprocess.Popen[bytes], selector: selectors.BaseSelector, on_output: OnOutput
) -> bool:
    """True while something came; an ended stream is forgotten."""
    if not selector.get_map():
        try:
            child.wait(_SLICE)
        except subprocess.TimeoutExpired:
            pass
        return False
    ready = selector.select(_SLICE)
    for key, _ in ready:
        data = os.read(key.fd, _CHUNK)
        if data:
            on_output(key.data, data)
        else:
            selector.unregister(key.fileobj)
    return bool(ready)


def _overdue(job: Job, start: float, last_output: float) -> str | None:
    now = time.monotonic()
    if now - start > job.seconds:
        return TIMED_OUT
    if job.idle_seconds is not None and now - last_output > job.idle_seconds:
        return IDLE
    return None


def _end(child: subprocess.Popen[bytes]) -> None:
    """INT lets an agent save its session; KILL needs no one's consent."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except (ProcessLookupError, PermissionError):
            pass
        try:
            child.wait(_GRACE)
            return
        except subprocess.TimeoutExpired:
            continue
    child.wait()


def _close(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe

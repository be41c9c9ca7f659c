"""Runs one command in a session of its own, with a deadline and capped output."""

from __future__ import annotations

import os
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import NamedTuple

    class Ran(NamedTuple):
        code: int | None
        output: bytes
        cut: bool
else:
    Ran = namedtuple("Ran", "code output cut")

_CAP = 4 * 1024 * 1024
_GLANCE = 0.05
_MARK = "RALPH_COMMAND"


def run(argv: list[str], cwd: str, environment: dict[str, str], seconds: float) -> Ran:
    """Standard output only; code None: it did not start, or its time was over."""
    import subprocess

    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return Ran(None, b"", False)
    try:
        output = _drain(child, seconds)
    except subprocess.TimeoutExpired:
        _kill_group(child)
        return Ran(None, b"", False)
    return Ran(child.returncode, output[:_CAP], len(output) > _CAP)


def run_to_its_end(argv: list[str], cwd: str, environment: dict[str, str], seconds: float) -> Ran:
    """Both outputs as they came, their last part; what it left running is ended with it.

    Code None: it did not start, or its time was over.
    """
    import subprocess

    from . import last_will

    parent, mark = os.getppid(), os.urandom(8).hex()
    will = last_will.Will(f"{_MARK}={mark}")
    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env={**environment, _MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        will.names(child.pid)
        try:
            output, cut, ended = _listen(child, parent, seconds)
        finally:
            # Not waited for yet, so the number is still the child's.
            last_will.end(child.pid, f"{_MARK}={mark}")
            child.wait()
    except OSError as error:
        return Ran(None, f"it could not be started: {error.strerror}".encode(), False)
    finally:
        will.revoke()
    return Ran(child.returncode if ended else None, output, cut)


def _listen(
    child: subprocess.Popen[bytes], parent: int, seconds: float
) -> tuple[bytes, bool, bool]:
    """Until the program itself ends: what it started may hold the pipe for ever."""
    import select
    import time

    assert child.stdout is not None
    kept, cut = bytearray(), False
    deadline = time.monotonic() + seconds
    with child.stdout as pipe:
        while True:
            if os.getppid() != parent:
                # Whoever started us is gone: nobody waits for an answer.
                raise SystemExit(0)
            ended = _has_ended(child)
            left = deadline - time.monotonic()
            wait = 0.0 if ended else min(_GLANCE, max(0.0, left))
            if select.select([pipe], [], [], wait)[0]:
                block = os.read(pipe.fileno(), 65536)
                kept += block
                if len(kept) > 2 * _CAP:
                    cut = True
                    del kept[: len(kept) - _CAP]
                if not block and not ended:
                    # The output may end long before the program does.
                    time.sleep(min(_GLANCE, max(0.0, left)))
                if block and left > 0:
                    continue
            if ended or left <= 0:
                return bytes(kept[-_CAP:]), cut or len(kept) > _CAP, ended


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    # WNOWAIT: once waited for, its number and its session's may be another's.
    return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _drain(child: subprocess.Popen[bytes], seconds: float) -> bytes:
    """Reads to the end so that the child never waits for us, but keeps no more than the cap."""
    import select
    import subprocess
    import time

    assert child.stdout is not None
    kept = bytearray()
    deadline = time.monotonic() + seconds
    with child.stdout as pipe:
        while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            block = os.read(pipe.fileno(), 65536)
            if not block:
                # The output may end long before the program does.
                child.wait(max(0.0, deadline - time.monotonic()))
                return bytes(kept)
            if len(kept) <= _CAP:
                kept += block
    raise subprocess.TimeoutExpired(child.args, seconds)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    import signal

    # Not waited for yet, so the number is still the child's.
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()

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

"""Runs the engine with a fault before its n-th operation on the disk or on processes.

A program of its own: `seams.py FAULT N ARGUMENT...` ends like `ralph.sh ARGUMENT...` would, and
writes how many operations there were to the file that SEAMS_COUNT names. FAULT is `kill`
(SIGKILL to the runner alone) or the name of an errno, which the n-th operation on the disk fails
with, once; with N 0 nothing happens. What is
replaced are the doors of the operating system, nothing of the engine.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from ralph_engine.__main__ import main  # noqa: E402

DISK = ("write", "rename", "unlink", "mkdir")
_count = 0


def plant(fault: str, number: int) -> None:
    for name in DISK:
        setattr(os, name, _counted(getattr(os, name), fault, number, disk=True))
    if fault != "kill":
        # To a kill these are one with the operation behind them.
        os.fsync = _counted(os.fsync, fault, number, disk=True)
        os.open = _counted(os.open, fault, number, disk=True, only=_writes)
    start = subprocess.Popen.__init__
    subprocess.Popen.__init__ = _counted(start, fault, number, disk=False)  # type: ignore[method-assign]


def _writes(*given: Any, **_: Any) -> bool:
    changing = given[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    return bool(changing) and given[0] != os.devnull


def _always(*_: Any, **__: Any) -> bool:
    return True


def _counted(
    door: Callable[..., Any],
    fault: str,
    number: int,
    disk: bool,
    only: Callable[..., bool] = _always,
) -> Callable[..., Any]:
    def opened(*given: Any, **named: Any) -> Any:
        if only(*given, **named) and (disk or fault == "kill"):
            _step(fault, number)
        return door(*given, **named)

    return opened


def _step(fault: str, number: int) -> None:
    global _count
    _count += 1
    if _count != number:
        return
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    code = getattr(errno, fault)
    raise OSError(code, os.strerror(code))


if __name__ == "__main__":
    plant(sys.argv[1], int(sys.argv[2]))
    code = main(sys.argv[3:])
    if "SEAMS_COUNT" in os.environ:
        Path(os.environ["SEAMS_COUNT"]).write_text(str(_count))
    sys.exit(code)

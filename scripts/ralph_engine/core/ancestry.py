"""The processes this one descends from: a dead or foreign runner is not among them."""

from __future__ import annotations

import os

_MOST = 64


def of_this_process() -> list[int]:
    found = [os.getpid()]
    while found[-1] > 1 and len(found) < _MOST:
        found.append(_parent(found[-1]))
    return [pid for pid in found[1:] if pid > 0]


def _parent(pid: int) -> int:
    if pid == os.getpid():
        return os.getppid()
    try:
        with open(f"/proc/{pid}/stat", "rb") as status:
            # The name in brackets may itself hold brackets and blanks.
            return int(status.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return _parent_by_ps(pid)


def _parent_by_ps(pid: int) -> int:
    from . import command

    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    ran = command.run(["ps", "-o", "ppid=", "-p", str(pid)], "/", environment, 5.0)
    text = ran.output.strip()
    return int(text) if text.isdigit() else 0

"""Asks the fresh-context loop of a folder to stop, if one runs there."""

from __future__ import annotations

import os

from . import files, requests, strict_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LOCKS = "locks"
_LIMIT = 65536


def cancel(root: str, environment: Mapping[str, str]) -> str:
    """What was done, in one line for the person."""
    base = requests.state_base(environment)
    if not base or not is_running(root, base):
        return "Ralph: no loop runs in this session, and no runner in this folder"
    own = environment.get("RALPH_RUN_ID")
    if own and own == _run_of_lock(root, base):
        return "Ralph: this is the loop's own agent calling: only a person may do that"
    try:
        requests.make(os.path.join(base, requests.state_name(root)), requests.CANCEL)
    except files.FileFault as fault:
        return f"Ralph: this folder's runner could not be asked to stop: {fault}"
    return "Ralph: no loop runs in this session; this folder's runner was asked to stop"


def is_running(root: str, base: str) -> bool:
    """A runner holds the folder's lock as long as it lives."""
    import fcntl

    try:
        path = os.path.join(base, _LOCKS, f"{_lock_name(root)}.lock")
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(fd)


def _run_of_lock(root: str, base: str) -> str:
    """The run that says it holds the lock; '' where nobody said so yet."""
    try:
        name = f"{_lock_name(root)}.owner"
        known = strict_json.parse(files.read_bytes(os.path.join(base, _LOCKS), name, _LIMIT))
    except (OSError, files.FileFault, strict_json.NotJson):
        return ""
    run = known.get("run") if type(known) is dict else ""
    return run if type(run) is str else ""


def _lock_name(root: str) -> str:
    status = os.stat(root)
    return f"{status.st_dev:x}-{status.st_ino:x}"

"""Asks the fresh-context loop of a folder to stop, if one runs there."""

from __future__ import annotations

import os

from . import files, requests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def cancel(root: str, environment: Mapping[str, str]) -> str:
    """What was done, in one line for the person."""
    base = requests.state_base(environment)
    if not base or not is_running(root, base):
        return "Ralph: no loop runs in this session, and no runner in this folder"
    try:
        requests.make(os.path.join(base, requests.state_name(root)), requests.CANCEL)
    except files.FileFault as fault:
        return f"Ralph: this folder's runner could not be asked to stop: {fault}"
    return "Ralph: no loop runs in this session; this folder's runner was asked to stop"


def is_running(root: str, base: str) -> bool:
    """A runner holds the folder's lock as long as it lives."""
    import fcntl

    try:
        status = os.stat(root)
        name = f"{status.st_dev:x}-{status.st_ino:x}.lock"
        fd = os.open(os.path.join(base, "locks", name), os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(fd)

"""A temporary folder for a trial, removed with all that is in it, at the latest by the next."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile

from .failure import Failure

_LOCK = "alive.lock"


def make(purpose: str) -> str:
    try:
        return tempfile.mkdtemp(prefix=f"ralph-{purpose}-")
    except OSError as error:
        raise Failure(
            f"no temporary folder can be made ({error.strerror})",
            "set TMPDIR to a folder that you can write",
        ) from error


def hold(folder: str) -> int:
    """A descriptor: as long as a process has it open, the folder is in use, whatever ends us."""
    new = os.path.join(folder, f"{_LOCK}.new")
    lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    # Under its name only when it is locked: nobody sees it free before.
    os.rename(new, os.path.join(folder, _LOCK))
    return lock


def sweep(purpose: str) -> None:
    """Those that were held and whose holders were killed; one that was never held stays."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        named = [entry for entry in entries if entry.name.startswith(f"ralph-{purpose}-")]
        for entry in named:
            if _is_ours(entry) and _is_given_up(entry.path):
                _remove(entry.path)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    stat = entry.stat(follow_symlinks=False)
    return entry.is_dir(follow_symlinks=False) and stat.st_uid == os.geteuid()


def _is_given_up(folder: str) -> bool:
    try:
        lock = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def remove(folder: str) -> None:
    _remove(folder)
    if os.path.lexists(folder):
        raise Failure(f"the temporary folder {folder} could not be removed; remove it yourself")


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        _open_up(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _open_up(top: str) -> None:
    """Some tools close the folders that they make, as Go does with its modules."""
    for place, folders, _ in os.walk(top):
        for path in (os.path.join(place, name) for name in folders):
            # Behind a link it would be somebody else's.
            if not os.path.islink(path):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)

"""One loop per folder: an OS lock, which a killed runner loses by itself."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import process_start, state_folder
from .core import files
from .core.own_command import RALPH
from .failure import Failure

NameOwner = Callable[[str], None]
Owner = dict[str, Any]
# Longer than anyone needs who only looks whether the lock is taken.
_PATIENCE = 0.5
_SHORT_WORK = 20.0
_UNTIL_IT_SAYS_WHO = 2.0
_SLICE = 0.05
_LIMIT = 65536
_UNKNOWN = {"pid": "?", "host": "?", "since": "just now"}
_HINT = f"`{RALPH} watch` follows it, `{RALPH} cancel` ends it; for a second feature use a worktree"


@contextmanager
def held(path: Path) -> Iterator[NameOwner]:
    """Yields what tells others which run holds it."""
    state_folder.make(path.parent)
    lock = _take(path, _PATIENCE)
    if lock is None:
        raise Failure(f"another loop runs in this folder ({_words(path)})", _HINT)
    try:
        _say_who(path, "")
        yield lambda run_id: _say_who(path, run_id)
    finally:
        _forget(path)
        os.close(lock)


@contextmanager
def briefly(path: Path, what: str) -> Iterator[None]:
    """For one read and write of a small file: whoever comes second waits."""
    state_folder.make(path.parent)
    lock = _take(path, _SHORT_WORK)
    if lock is None:
        hint = f"look who holds {path}, then try again"
        raise Failure(f"{what} is being written by another program for too long", hint)
    try:
        yield
    finally:
        os.close(lock)


def owner(path: Path) -> Owner | None:
    """Who holds the lock now; None where nobody does."""
    try:
        free = _is_free(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error) from error
    return None if free else _present_owner(path) or _UNKNOWN


def _is_free(path: Path) -> bool:
    """Two who ask at once do not see each other: theirs is a lock that can be shared."""
    # O_NONBLOCK: a FIFO in its place would otherwise wait for a writer for ever.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    looking = os.open(path, flags)
    try:
        if stat.S_ISDIR(os.fstat(looking).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return _locks(looking, fcntl.LOCK_SH)
    finally:
        os.close(looking)


def _take(path: Path, patience: float) -> int | None:
    """A descriptor: the lock is held until it is closed. None where somebody else keeps it."""
    taken = False
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            taken = _locks_within(lock, patience)
        finally:
            if not taken:
                os.close(lock)
    except OSError as error:
        raise _unusable(path, error) from error
    return lock if taken else None


def _locks_within(lock: int, patience: float) -> bool:
    give_up = time.monotonic() + patience
    while not _locks(lock, fcntl.LOCK_EX):
        if time.monotonic() >= give_up:
            return False
        time.sleep(_SLICE)
    return True


def _locks(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unusable(path: Path, error: OSError) -> Failure:
    return Failure(
        f"the lock {path} cannot be taken ({error.strerror})",
        "free the path, or set XDG_STATE_HOME to a folder of yours",
    )


def _say_who(path: Path, run_id: str) -> None:
    me = json.dumps(_me(run_id)).encode("ascii")
    files.replace_bytes(str(path.parent), _owner_name(path), me, 0o600)


def _me(run_id: str) -> Owner:
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "run": run_id,
        "started": process_start.of(os.getpid()),
    }


def _words(path: Path) -> str:
    known = _present_owner(path)
    if known is None:
        return "it is just starting"
    return f"pid {known['pid']} on {known['host']}, since {known['since']}"


def _present_owner(path: Path) -> Owner | None:
    """The lock comes first, the word who took it a moment later."""
    give_up = time.monotonic() + _UNTIL_IT_SAYS_WHO
    while True:
        known = _read(path)
        if known is not None and _may_hold_it(known):
            return known
        if time.monotonic() > give_up:
            return None
        time.sleep(_SLICE)


def _read(path: Path) -> Owner | None:
    try:
        known = json.loads(files.read_bytes(str(path.parent), _owner_name(path), _LIMIT))
    except (files.FileFault, ValueError, RecursionError):
        return None
    return known if isinstance(known, dict) and _is_word(known) else None


def _is_word(known: Owner) -> bool:
    kinds = (("pid", int), ("host", str), ("since", str), ("started", str))
    return all(type(known.get(name)) is kind for name, kind in kinds)


def _may_hold_it(known: Owner) -> bool:
    """A killed runner's word stays behind, and its number may be another program's by now."""
    if known["host"] != socket.gethostname():
        return True
    started = process_start.of(known["pid"])
    return started != "" and started == known["started"]


def _owner_name(path: Path) -> str:
    return path.with_suffix(".owner").name


def _forget(path: Path) -> None:
    try:
        files.remove(str(path.parent), _owner_name(path))
    except files.FileFault:
        # The lock decides, whatever stands beside it.
        pass

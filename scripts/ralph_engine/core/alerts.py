"""The session's private folder of context alerts already given."""

from __future__ import annotations

import os
import stat

from . import paths

# Stands there once a context has held more than its window was thought to be.
WIDE = "wide"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# An alert whose note cannot be read is never armed again.
_NEVER = 1 << 62


class Alerts:
    """Each alert is a file that holds the transcript's size at the time.

    In a folder that is another user's, open to others or a link nothing is found or kept.
    """

    def __init__(self, session: str, temporary: str) -> None:
        self._path = _path(session, temporary)
        self._fd = _opened(self._path)

    def __enter__(self) -> Alerts:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def given(self, names: list[str]) -> dict[str, int]:
        """Those of the names that stand, with their sizes."""
        sizes = {name: self._size(name) for name in names} if self._fd >= 0 else {}
        return {name: size for name, size in sizes.items() if size is not None}

    def claim(self, name: str, size: int) -> bool:
        """True for one caller only, however many ask at the same time."""
        if self._fd < 0:
            self._fd = _made(self._path)
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=self._fd)
        except OSError:
            return False
        try:
            os.write(fd, b"%d" % size)
        except OSError:
            pass
        os.close(fd)
        return True

    def withdraw(self, name: str) -> None:
        try:
            os.unlink(name, dir_fd=self._fd)
        except OSError:
            pass

    def _size(self, name: str) -> int | None:
        try:
            fd = os.open(name, os.O_RDONLY | _FILE, dir_fd=self._fd)
        except OSError:
            return None
        try:
            return int(os.read(fd, 20))
        except (OSError, ValueError):
            return _NEVER
        finally:
            os.close(fd)


def forget(session: str, temporary: str) -> None:
    """Removes the folder if it is ours; a link or another user's is left alone."""
    if not paths.is_session_id(session):
        return
    folder = _path(session, temporary)
    try:
        status = os.lstat(folder)
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)
    except OSError:
        pass


def _path(session: str, temporary: str) -> str:
    return os.path.join(temporary, f"claude-context-alerts-{session}")


def _made(path: str) -> int:
    try:
        os.mkdir(path, 0o700)
    except OSError:
        pass
    return _opened(path)


def _opened(path: str) -> int:
    """-1 where it is not there or not ours alone."""
    try:
        fd = os.open(path, _FOLDER)
    except (OSError, ValueError):
        return -1
    status = os.fstat(fd)
    if status.st_uid == os.getuid() and not status.st_mode & 0o077:
        return fd
    os.close(fd)
    return -1

"""The one door to the disk: bounded reads, atomic writes, nothing followed below a root.

Every call names a trusted folder (`root`) and a path below it. The agent can write
anything below the project, so no link is followed there, no FIFO waited for and no
file shared by a second name.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO for reading would otherwise wait for a writer for ever.
_NO_SURPRISE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BLOCK = 65536


class FileFault(Exception):
    """A file that cannot be used as asked; says which, why, and what to do."""

    def __init__(self, path: str, problem: str, fix: str) -> None:
        super().__init__(f"{path} {problem}; {fix}")
        self.path, self.problem, self.fix = path, problem, fix


class Missing(FileFault):
    """The file is not there."""


def read_bytes(root: str, relative: str, limit: int) -> bytes:
    """The whole file, or a FileFault: never more than `limit` bytes."""
    fd = _open(root, relative, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        data = b"" if size > limit else b"".join(_blocks(fd, limit + 1))
    finally:
        os.close(fd)
    if size > limit or len(data) > limit:
        raise FileFault(relative, f"is larger than {limit} bytes", "make it smaller")
    return data


def read_tail(root: str, relative: str, size: int) -> bytes:
    """The last `size` bytes, whatever the length of the file."""
    fd = _open(root, relative, os.O_RDONLY)
    try:
        os.lseek(fd, max(0, os.fstat(fd).st_size - size), os.SEEK_SET)
        return b"".join(_blocks(fd, size))
    finally:
        os.close(fd)


def blocks(root: str, relative: str) -> Iterator[bytes]:
    """The file in pieces, for what may be too large to hold; a second name is no obstacle."""
    fd = _open(root, relative, os.O_RDONLY, shared=True)
    try:
        yield from _blocks(fd, os.fstat(fd).st_size)
    finally:
        os.close(fd)


def replace_bytes(root: str, relative: str, data: bytes, mode: int = 0o644) -> None:
    """All or nothing: readers see the old content or the new, also after a power cut."""
    with _Parent(root, relative, create=True) as (parent, name):
        temporary = f".{name}.{os.urandom(6).hex()}.tmp"
        try:
            _write_new(parent, temporary, data, mode)
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
            os.fsync(parent)
        except (OSError, ValueError) as error:
            _remove_quietly(parent, temporary)
            raise _fault(relative, error) from error


def forget_unfinished(root: str, relative: str) -> None:
    """What a killed writer of this file left beside it under a temporary name."""
    try:
        with _Parent(root, relative) as (parent, name):
            for entry in os.listdir(parent):
                middle = entry[len(name) + 2 : -4]
                if entry == f".{name}.{middle}.tmp" and len(middle) == 12 and middle.isalnum():
                    _remove_quietly(parent, entry)
    except (FileFault, OSError):
        pass


def restore_bytes(root: str, relative: str, data: bytes, mode: int = 0o644) -> None:
    """Like replace_bytes, but whatever stands in the way is moved aside, not followed."""
    steps = relative.split("/")
    for depth in range(1, len(steps)):
        folder = "/".join(steps[:depth])
        if kind(root, folder) not in ("folder", "absent"):
            remove(root, folder)
    if kind(root, relative) == "folder":
        remove(root, relative)
    replace_bytes(root, relative, data, mode)


def append(root: str, relative: str, data: bytes, mode: int = 0o644, durable: bool = False) -> int:
    """One write at the end of the file; returns the new length."""
    fd = _open(root, relative, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
    try:
        if os.write(fd, data) != len(data):
            raise FileFault(relative, "took only part of a line", "free some disk space")
        if durable:
            os.fsync(fd)
        return os.fstat(fd).st_size
    except OSError as error:
        raise _fault(relative, error) from error
    finally:
        os.close(fd)


def move(root: str, source: str, target: str) -> None:
    with _Parent(root, source) as (old, name):
        try:
            os.stat(name, dir_fd=old, follow_symlinks=False)
            with _Parent(root, target, create=True) as (new, other):
                os.rename(name, other, src_dir_fd=old, dst_dir_fd=new)
        except (OSError, ValueError) as error:
            raise _fault(source, error) from error


def remove(root: str, relative: str) -> None:
    """A file or link; a folder in its place is moved aside, not emptied."""
    with _Parent(root, relative) as (parent, name):
        try:
            if kind(root, relative) == "folder":
                aside = f"{name}.removed-{os.urandom(4).hex()}"
                os.rename(name, aside, src_dir_fd=parent, dst_dir_fd=parent)
            else:
                os.unlink(name, dir_fd=parent)
        except OSError as error:
            raise _fault(relative, error) from error


def drop_empty(root: str, relative: str) -> None:
    """A folder, if nothing is in it."""
    try:
        with _Parent(root, relative) as (parent, name):
            os.rmdir(name, dir_fd=parent)
    except (FileFault, OSError):
        pass


def kind(root: str, relative: str) -> str:
    """absent, file, folder, link or other; never follows."""
    try:
        with _Parent(root, relative) as (parent, name):
            mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except (FileFault, OSError, ValueError):
        return "absent"
    for test, word in ((stat.S_ISREG, "file"), (stat.S_ISDIR, "folder"), (stat.S_ISLNK, "link")):
        if test(mode):
            return word
    return "other"


class _Parent:
    """The opened folder that holds a path, reached without following a link."""

    def __init__(self, root: str, relative: str, create: bool = False) -> None:
        self.root, self.relative, self.create, self.fd = root, relative, create, -1

    def __enter__(self) -> tuple[int, str]:
        *folders, name = self.relative.split("/")
        try:
            self.fd = os.open(self.root, _FOLDER)
            for folder in folders:
                self._step(folder)
        except (OSError, ValueError) as error:
            self.__exit__()
            raise _fault(self.relative, error) from error
        return self.fd, name

    def _step(self, folder: str) -> None:
        if self.create:
            try:
                os.mkdir(folder, 0o755, dir_fd=self.fd)
            except FileExistsError:
                pass
        deeper = os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=self.fd)
        os.close(self.fd)
        self.fd = deeper

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _open(root: str, relative: str, flags: int, mode: int = 0o644, shared: bool = False) -> int:
    with _Parent(root, relative, create=bool(flags & os.O_CREAT)) as (parent, name):
        try:
            fd = os.open(name, flags | _NO_SURPRISE, mode, dir_fd=parent)
        except (OSError, ValueError) as error:
            raise _fault(relative, error) from error
    problem = _unusual(os.fstat(fd), shared)
    if problem:
        os.close(fd)
        raise FileFault(relative, problem, "put a regular file of its own there")
    return fd


def _unusual(status: os.stat_result, shared: bool) -> str:
    if stat.S_ISDIR(status.st_mode):
        return "is a directory"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    second_name = status.st_nlink > 1 and not shared
    return "is a hard link, shared with another name" if second_name else ""


def _blocks(fd: int, limit: int) -> Iterator[bytes]:
    while limit > 0:
        block = os.read(fd, min(_BLOCK, limit))
        if not block:
            return
        limit -= len(block)
        yield block


def _write_new(parent: int, name: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_SURPRISE
    fd = os.open(name, flags, mode, dir_fd=parent)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def _remove_quietly(parent: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except (OSError, ValueError):
        pass


def _fault(relative: str, error: OSError | ValueError) -> FileFault:
    if isinstance(error, ValueError):
        return FileFault(relative, "is a name that no file can have", "use another one")
    if error.errno == errno.ENOENT:
        return Missing(relative, "is missing", "create it")
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return FileFault(
            relative, "is reached through a link or a file", "use real folders and files"
        )
    problem = f"cannot be used ({error.strerror or error})"
    return FileFault(relative, problem, "check its permissions and the disk")

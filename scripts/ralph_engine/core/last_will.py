"""Ends all that a command started; a small process that outlives us does so where we are killed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What is being ended may still start something.
_ROUNDS = 20


def make(session: int, mark: str) -> tuple[int, int]:
    """Of a command in a session of its own, with `mark` in its environment; see `revoke`."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(read)
        return pid, write
    try:
        os.setsid()
        _keep_only(read)
        # No word, only an end: we were killed.
        if os.read(read, 1) == b"":
            end(session, mark)
    finally:
        os._exit(0)


def revoke(will: tuple[int, int]) -> None:
    pid, write = will
    os.write(write, b".")
    os.close(write)
    os.waitpid(pid, 0)


def end(session: int, mark: str) -> None:
    import signal

    for _ in range(_ROUNDS):
        living = list(_living(session, mark))
        _signal(os.killpg, session, signal.SIGKILL)
        for pid in living:
            _signal(os.kill, pid, signal.SIGKILL)
        if not living:
            return


def _signal(send: Callable[[int, int], None], number: int, kind: int) -> None:
    try:
        send(number, kind)
    except (ProcessLookupError, PermissionError):
        pass


def _living(session: int, mark: str) -> Iterator[int]:
    """Also in sessions of their own; without /proc only the group is known."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit() and _belongs(name, session, mark):
            yield int(name)


def _belongs(name: str, session: int, mark: str) -> bool:
    # The program's own name stands in brackets and may hold blanks and brackets.
    facts = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()
    if len(facts) < 4 or facts[0] in (b"Z", b"X"):
        return False
    environment = _read(f"/proc/{name}/environ").split(b"\0")
    # Session 0 is no session of ours: where the leader lies outside a container, it is everyone's.
    return (session > 0 and int(facts[3]) == session) or mark.encode() in environment


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        blocks = []
        while block := os.read(fd, 65536):
            blocks.append(block)
        return b"".join(blocks)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _keep_only(fd: int) -> None:
    """Whoever waits for the end of our output must not wait for this process."""
    for name in os.listdir("/dev/fd"):
        if int(name) != fd:
            try:
                os.close(int(name))
            except OSError:
                continue

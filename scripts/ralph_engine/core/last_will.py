"""Ends all that a command started; a small process that outlives us does so where we are killed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

# What is being ended may still start something.
_ROUNDS = 40
# A process that ends while all are looked at may have left a child that was not there before.
_QUIET_ROUNDS = 3
_LATER_LOOKS = 20
_PAUSE = 0.05
_REVOKED = b"."


class Will:
    """For a command that is about to start, with `mark` in its environment."""

    def __init__(self, mark: str) -> None:
        read, self._write = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            _wait(read, mark)
        os.close(read)

    def names(self, session: int) -> None:
        """The session that the command has got of its own."""
        os.write(self._write, f"{session} ".encode())

    def revoke(self) -> None:
        os.write(self._write, _REVOKED)
        os.close(self._write)
        os.waitpid(self._pid, 0)


def _wait(read: int, mark: str) -> NoReturn:
    try:
        os.setsid()
        _keep_only(read)
        told = b""
        while block := os.read(read, 100):
            told += block
        # Not a word of ours, only the end of the pipe: we were killed.
        if not told.endswith(_REVOKED):
            _execute(int(told) if told else None, mark)
    finally:
        os._exit(0)


def _execute(session: int | None, mark: str) -> None:
    """By the mark for a while: a program that is just being loaded shows no environment."""
    import time

    end(session, mark)
    for _ in range(_LATER_LOOKS):
        time.sleep(_PAUSE)
        end(None, mark)


def end(session: int | None, mark: str) -> None:
    """All that carries the mark, and the session where the command had got one."""
    import signal

    quiet = 0
    for _ in range(_ROUNDS):
        found = list(living(session, mark))
        if session is not None and is_still_there(session, found):
            _signal(os.killpg, session, signal.SIGKILL)
        for pid in found:
            _signal(os.kill, pid, signal.SIGKILL)
        quiet = 0 if found else quiet + 1
        if quiet == _QUIET_ROUNDS:
            return


def is_still_there(session: int, found: list[int]) -> bool:
    """Once all of a session has ended, its number may be another's."""
    if session <= 0:
        return False
    if os.path.exists("/proc/self/stat"):
        return any(_session(str(pid)) == session for pid in found)
    try:
        return os.getsid(session) == session
    except ProcessLookupError:
        # The leader is gone; as long as its group is there, nobody else gets the number.
        return True
    except PermissionError:
        return False


def _signal(send: Callable[[int, int], None], number: int, kind: int) -> None:
    try:
        send(number, kind)
    except (ProcessLookupError, PermissionError):
        pass


def living(session: int | None, mark: str) -> Iterator[int]:
    """Also in sessions of their own; without /proc only the group is known."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit() and _belongs(name, session, mark):
            yield int(name)


def _belongs(name: str, session: int | None, mark: str) -> bool:
    its = _session(name)
    if its is None:
        return False
    # 0 is no session of ours: it is everyone's whose leader lies outside a container.
    if session and its == session:
        return True
    # Nothing stands in everyone's environment.
    return bool(mark) and mark.encode() in _read(f"/proc/{name}/environ").split(b"\0")


def _session(name: str) -> int | None:
    """None for what does not live."""
    # The program's own name stands in brackets and may hold blanks and brackets.
    facts = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()
    if len(facts) < 4 or facts[0] in (b"Z", b"X"):
        return None
    return int(facts[3])


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

"""A real shell parser, shfmt, started for one text: its tree, or None."""

from __future__ import annotations

import json
import os

from .. import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .values import Node

_SECONDS = 2.0
_MOST_JSON = 24 * 1024 * 1024


def path(environment: Mapping[str, str]) -> str:
    """As the launchers wrote it down, behind the interpreter; '' where there is none."""
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", ""), ".cache")
    try:
        lines = files.read_bytes(os.path.join(cache, "ralph"), "hooks.env", 8192).split(b"\n")
    except files.FileFault:
        return ""
    program = os.fsdecode(lines[1]) if len(lines) > 1 else ""
    return program if os.path.isabs(program) and os.access(program, os.X_OK) else ""


def parse(program: str, text: str) -> list[Node] | None:
    """The statements; None where the text is no bash, or shfmt is missing, stuck or talkative."""
    if not program:
        return None
    answer = _ask(program, text.encode("utf-8", "backslashreplace"))
    if answer is None:
        return None
    try:
        tree = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    return tree.get("Stmts") or [] if isinstance(tree, dict) else None


def _ask(program: str, data: bytes) -> bytes | None:
    # subprocess would take longer to import than shfmt takes to run.
    into, feeding = os.pipe()
    reading, out = os.pipe()
    try:
        pid = os.posix_spawn(
            program,
            [program, "--to-json", "--language-dialect=bash"],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, into, 0),
                (os.POSIX_SPAWN_DUP2, out, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_RDONLY, 0),
            ],
        )
    except OSError:
        _close(into, out, feeding, reading)
        return None
    _close(into, out)
    answer = _exchange(feeding, reading, data)
    return _reap(pid, answer)


def _exchange(feeding: int, reading: int, data: bytes) -> bytes | None:
    """Both pipes at once: either side may fill up while we wait for the other."""
    import select
    import time

    os.set_blocking(feeding, False)
    deadline = time.monotonic() + _SECONDS
    blocks: list[bytes] = []
    rest, size, is_fed = memoryview(data), 0, False
    try:
        while size <= _MOST_JSON:
            wanted = [] if is_fed else [feeding]
            left = max(0.0, deadline - time.monotonic())
            readable, writable, _ = select.select([reading], wanted, [], left)
            if writable:
                rest = _feed(feeding, rest)
                if not rest:
                    is_fed = True
                    _close(feeding)
            elif readable:
                block = os.read(reading, 1 << 20)
                if not block:
                    return b"".join(blocks)
                blocks.append(block)
                size += len(block)
            else:
                return None
        return None
    finally:
        _close(reading, *([] if is_fed else [feeding]))


def _feed(fd: int, rest: memoryview) -> memoryview:
    try:
        return rest[os.write(fd, rest[:65536]) :]
    except OSError:  # it has read enough
        return rest[:0]


def _reap(pid: int, answer: bytes | None) -> bytes | None:
    import signal

    if answer is None:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return answer if status == 0 else None


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)

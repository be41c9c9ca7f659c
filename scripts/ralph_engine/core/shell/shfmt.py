"""A real shell parser, shfmt, started for one text: its tree, or None."""

from __future__ import annotations

import json
import os

from .. import files
from .values import TooMuch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .values import Node

_SECONDS = 2.0
_MOST_ROUNDS = 3
_MOST_JSON = 24 * 1024 * 1024


class Stuck(Exception):
    """It did not answer in time: it will not the next time either."""


def path(environment: Mapping[str, str]) -> str:
    """As the launchers wrote it down, behind the interpreter; '' where there is none."""
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", ""), ".cache")
    try:
        lines = files.read_bytes(os.path.join(cache, "ralph"), "hooks.env", 8192).split(b"\n")
    except files.FileFault:
        return ""
    program = os.fsdecode(lines[1]) if len(lines) > 1 else ""
    usable = os.path.isabs(program) and os.path.isfile(program) and os.access(program, os.X_OK)
    return program if usable else ""


def parse(program: str, text: str) -> list[Node] | None:
    """The statements; None where the text is no bash, or where there is no shfmt."""
    if not program:
        return None
    data = bytearray(text.encode("utf-8", "backslashreplace"))
    tree, rounds = _tree(program, data), 0
    # shfmt lets a backslash at the end of a comment swallow the line break; no shell does.
    while b"#" in data and b"\\\n" in data:
        ends = _swallowed(tree)
        if not ends:
            break
        if rounds == _MOST_ROUNDS:
            raise TooMuch
        rounds += 1
        for end in ends:
            data[end : end + 1] = b" "
        tree = _tree(program, data)
    return tree.get("Stmts") or [] if isinstance(tree, dict) else None


def _swallowed(node: object) -> list[int]:
    """Where comments end with such a backslash."""
    if isinstance(node, list):
        return [end for child in node for end in _swallowed(child)]
    if not isinstance(node, dict):
        return []
    text = node.get("Text", "")
    if "Hash" in node and text.endswith("\\\n"):
        return [node["Hash"].get("Offset", 0) + len(text.encode()) - 1]
    return [end for child in node.values() for end in _swallowed(child)]


def _tree(program: str, data: bytearray) -> object:
    answer = _ask(program, data)
    if answer is None:
        return None
    try:
        return json.loads(answer)
    except ValueError:
        return None
    except RecursionError as error:
        raise TooMuch from error


def _ask(program: str, data: bytearray) -> bytes | None:
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
    answer = None
    try:
        answer = _exchange(feeding, reading, data)
    finally:
        ended = _reap(pid, answer is None)
    return answer if ended else None


def _exchange(feeding: int, reading: int, data: bytearray) -> bytes:
    """Both pipes at once: either side may fill up while we wait for the other."""
    import select
    import time

    os.set_blocking(feeding, False)
    deadline = time.monotonic() + _SECONDS
    blocks: list[bytes] = []
    rest, size, is_fed = memoryview(data), 0, False
    try:
        while True:
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
                if size > _MOST_JSON:
                    raise TooMuch
            else:
                raise Stuck
    finally:
        _close(reading, *([] if is_fed else [feeding]))


def _feed(fd: int, rest: memoryview) -> memoryview:
    try:
        return rest[os.write(fd, rest[:65536]) :]
    except OSError:  # it has read enough
        return rest[:0]


def _reap(pid: int, is_stuck: bool) -> bool:
    """Whether it ended well."""
    import signal

    if is_stuck:
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1] == 0


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)

"""Reads what a program prints while it runs, without ever waiting for its end."""

from __future__ import annotations

import array
import fcntl
import os
import selectors
import subprocess
import termios
import time
from collections.abc import Callable
from typing import IO

_CHUNK = 65536

OnOutput = Callable[[str, bytes], None]


class Streams:
    """The two outputs of a child, each block given to `on_output` with the stream's name."""

    def __init__(self, child: subprocess.Popen[bytes], on_output: OnOutput) -> None:
        self._child, self._on_output = child, on_output
        self._selector = selectors.DefaultSelector()
        self._open: list[IO[bytes]] = []
        for name, pipe in (("stdout", child.stdout), ("stderr", child.stderr)):
            if pipe is not None:
                self._open.append(pipe)
                self._selector.register(pipe, selectors.EVENT_READ, name)

    def __enter__(self) -> Streams:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for pipe in self._open:
            pipe.close()

    def pass_on(self, seconds: float) -> int:
        """Waits for output, at most so long: how many bytes came."""
        if not self._selector.get_map():
            return self._await_exit(seconds)
        came = 0
        for key, _ in self._selector.select(seconds):
            data = os.read(key.fd, _CHUNK)
            came += len(data)
            if data:
                self._on_output(key.data, data)
            else:
                self._selector.unregister(key.fileobj)
        return came

    def _await_exit(self, seconds: float) -> int:
        if self._child.returncode is not None:
            time.sleep(seconds)
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        return 0

    def pass_on_for(self, seconds: float) -> None:
        """All that comes in that time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.pass_on(max(0.0, deadline - time.monotonic()))

    def take_last_words(self, seconds: float) -> None:
        """After the program's exit: what it left running may chatter for ever, in its streams."""
        owed = self._waiting()
        deadline = time.monotonic() + seconds
        while self._selector.get_map() and (owed > 0 or time.monotonic() < deadline):
            came = self.pass_on(0.2)
            if not came:
                return
            owed -= came

    def _waiting(self) -> int:
        """Bytes that lie in the pipes."""
        size, total = array.array("i", [0]), 0
        for key in self._selector.get_map().values():
            fcntl.ioctl(key.fd, termios.FIONREAD, size)
            total += size[0]
        return total

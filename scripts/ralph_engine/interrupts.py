"""Ctrl-C and its kin: the first asks, the second ends at once; a closed terminal is no reason."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from .stops import INTERRUPTED


class Interrupts:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._count = say, 0

    def install(self, end_now: Callable[[], None]) -> None:
        self._end_now = end_now
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._received)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def asked(self) -> bool:
        return self._count > 0

    def _received(self, *_: object) -> None:
        self._count += 1
        if self._count == 1:
            self._say("Received signal, shutting down... (once more: end everything now)")
        else:
            self._end_now()
            os._exit(INTERRUPTED)

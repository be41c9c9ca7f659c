"""Which turn answers which request."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from typing import Callable, Union

from ralph_engine.scripted_model.request import Request
from ralph_engine.scripted_model.turns import Turn, fail, faults, say

ScriptEntry = Union[Turn, Callable[[Request], Turn]]

SIDE_ANSWER = "(an answer beside the script)"
SCRIPT_OVER = "(the script is over)"
MOST_ANSWERS_PAST_THE_END = 100


class Script:
    def __init__(self, entries: Iterable[ScriptEntry]) -> None:
        self._left = deque(
            entry if callable(entry) else _checked(entry, f"turn {number}")
            for number, entry in enumerate(entries, 1)
        )
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.answers_past_the_end = 0
        self.errors: list[Exception] = []

    def answer(self, request: Request) -> Turn:
        if request.is_aside:
            return say(SIDE_ANSWER)
        entry = self._next_entry(request)
        if not callable(entry):
            return entry
        try:
            return _checked(entry(request), "the turn made on request")
        except Exception as error:
            self.errors.append(error)
            return fail(400, f"the script failed: {error!r}")

    def _next_entry(self, request: Request) -> ScriptEntry:
        with self._lock:
            if self.answers_past_the_end == MOST_ANSWERS_PAST_THE_END:
                return fail(400, "the script has been over for too long")
            self.requests.append(request)
            if self._left:
                return self._left.popleft()
            self.answers_past_the_end += 1
            return say(SCRIPT_OVER)


def _checked(turn: Turn, where: str) -> Turn:
    found = list(faults(turn))
    if found:
        raise ValueError(f"{where}: {'; '.join(found)}")
    return turn

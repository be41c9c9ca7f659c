"""What the hooks of an agent's session decided, by their own log: told to people, no evidence."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from .core import files, paths, strict_json
from .core.counted import counted

if TYPE_CHECKING:
    from .journal import Journal

DENIED, BLOCKED, EXHAUSTED = "guard-denied", "gate-blocked", "gate-exhausted"
_DETAILS = {DENIED: ("rule", "tool"), BLOCKED: ("group",), EXHAUSTED: ("group",)}
_READ = 256 * 1024
_MOST, _LONGEST = 100, 60
_PAUSE = 0.5


def counted_in(kinds: list[str]) -> str:
    """'2 calls denied, 7 stops refused, 1 stop let go'; '' where there are none."""
    number = Counter(kinds)
    parts = [
        counted(number[DENIED], "call denied", "calls denied"),
        counted(number[BLOCKED], "stop refused", "stops refused"),
        counted(number[EXHAUSTED], "stop let go", "stops let go"),
    ]
    return ", ".join(part for part in parts if not part.startswith("0 "))


class HookEvents:
    """Looked for again and again while the agent works; its session is nobody else's."""

    def __init__(self, root: str, session: str, journal: Journal) -> None:
        self._root, self._session, self._journal = root, session, journal
        self._seen = 0
        self._next = 0.0

    def look(self, at_once: bool = False) -> None:
        if at_once or time.monotonic() >= self._next:
            self.finish()

    def finish(self) -> None:
        """An agent can write to that file, too: no more is taken than a person wants to read."""
        if self._seen == _MOST:
            return
        found = _of_session(_tail(self._root), self._session)[:_MOST]
        for entry in found[self._seen :]:
            self._journal.note("hook", **entry)
            self._seen += 1
        self._next = time.monotonic() + _PAUSE


def _tail(root: str) -> bytes:
    try:
        return files.read_tail(root, paths.HOOK_EVENTS, _READ)
    except files.FileFault:
        return b""


def _of_session(log: bytes, session: str) -> list[dict[str, str]]:
    # What stands behind the last line's end is not whole yet.
    lines = log.split(b"\n")[:-1]
    found = (_entry(line, session) for line in lines if session.encode() in line)
    return [entry for entry in found if entry]


def _entry(line: bytes, session: str) -> dict[str, str] | None:
    try:
        told = strict_json.parse(line)
    except strict_json.NotJson:
        return None
    if not isinstance(told, dict) or told.get("session") != session:
        return None
    what = told.get("event")
    if not isinstance(what, str) or what not in _DETAILS:
        return None
    return {"what": what, **{n: str(told.get(n, "?"))[:_LONGEST] for n in _DETAILS[what]}}

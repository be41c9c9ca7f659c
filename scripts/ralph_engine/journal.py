"""The event log of a run: the runner's truth in its state folder, a copy for people."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .agents.lines import Splitter
from .core import files, paths

NAME = "journal.jsonl"
_NOTE = b', "event": "agent", '
_HEAD, _TAIL, _BLOCK = 100, 1024 * 1024, 65536
# No longer line is ours; what an agent put there must not fill the memory.
_LONGEST = 64 * 1024 * 1024
Entry = dict[str, Any]
Echo = Callable[[Entry], None]


class Journal:
    """Appends events; each is on the disk before the step that it announces."""

    def __init__(self, state: Path, run_id: str, project: str, echo: Echo) -> None:
        self._state, self._project, self._echo = str(state), project, echo
        self._name = f"runs/{run_id}/{NAME}"
        self._copy = f"{paths.DOT_FOLDER}/runs/{run_id}/events.jsonl"
        self.count, self.torn = _mended(self._state, self._name)

    def write(self, event: str, **details: Any) -> None:
        """A step of the loop."""
        self._append(event, details, durable=True)

    def note(self, event: str, **details: Any) -> None:
        """What an agent did on the way: too much to wait for the disk each time."""
        self._append(event, details, durable=False)

    def _append(self, event: str, details: dict[str, Any], durable: bool) -> None:
        self.count += 1
        entry = {"n": self.count, "time": _now(), "event": event, **details, "steady": _steady()}
        line = json.dumps(entry)
        files.append(self._state, self._name, line.encode("ascii") + b"\n", 0o600, durable)
        self._copy_for_people(line)
        self._echo(entry)

    def _copy_for_people(self, line: str) -> None:
        try:
            files.append(self._project, self._copy, line.encode("ascii") + b"\n")
        except files.FileFault:
            # The agent may have put anything there; the truth is already written.
            pass


class Tail:
    """The events that somebody else writes, as they come, in constant memory."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._splitter = Splitter()

    def read(self) -> Iterator[Entry]:
        """What is new; the last line only once it is whole."""
        while block := os.read(self._fd, _BLOCK):
            for line in self._splitter.feed(block):
                event = None if line.cut else _event(line.data)
                if event:
                    yield event

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


class Steps(NamedTuple):
    """What the runner did, without the agents' own words; `torn` lines cannot be read."""

    events: list[Entry]
    torn: int


def steps(folder: Path) -> Steps:
    """Read line by line: what agents said may be more than memory has room for."""
    found, torn = [], 0
    with open(folder / NAME, "rb") as lines:
        while line := lines.readline(_LONGEST):
            if _is_note(line) and line.endswith(b"}\n"):
                continue
            event = _event(line)
            if event and event["event"] != "agent":
                found.append(event)
            torn += event is None and bool(line.strip())
    return Steps(found, torn)


def last_step(folder: Path) -> Entry:
    """Asked again and again while a loop runs: only the end of the file is read, if it can be."""
    tail = files.read_tail(str(folder), NAME, _TAIL).split(b"\n")
    for line in reversed(tail):
        step = None if _is_note(line) else _event(line)
        if step:
            return step
    return (steps(folder).events or [{}])[-1]


def last_steady(folder: Path) -> float | None:
    """When anything was last written, by the clock that nobody sets and no sleep moves on."""
    for line in reversed(files.read_tail(str(folder), NAME, _TAIL).split(b"\n")):
        entry = _event(line)
        if entry:
            return entry.get("steady")
    return None


def newest(state: Path) -> Path | None:
    """The folder of the run that wrote last."""
    found = folders(state)
    return found[-1] if found else None


def folders(state: Path) -> list[Path]:
    """Of all runs, in the order in which they wrote last."""
    found = (state / "runs").glob(f"*/{NAME}")
    return [path.parent for path in sorted(found, key=lambda path: path.stat().st_mtime)]


def _is_note(line: bytes) -> bool:
    return _NOTE in line[:_HEAD]


def _event(line: bytes) -> Entry | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "event" in value and "time" in value else None


def _mended(state: str, name: str) -> tuple[int, bool]:
    """How many lines there are, and whether the last one was cut: it is closed, not lengthened."""
    if files.kind(state, name) == "absent":
        return 0, False
    count, last = 0, b"\n"
    for block in files.blocks(state, name):
        count, last = count + block.count(b"\n"), block[-1:]
    if last != b"\n":
        files.append(state, name, b"\n", 0o600, durable=True)
    return count, last != b"\n"


def _steady() -> float:
    return round(time.monotonic(), 1)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

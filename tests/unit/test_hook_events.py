"""What hooks left in their log is told once, bounded, and only of the session at work."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ralph_engine import hook_events
from ralph_engine.hook_events import HookEvents

OURS = "0b7e9a52-0000-4000-8000-000000000001"
DENIED = {"time": "T", "event": "guard-denied", "session": OURS, "rule": "sudo", "tool": "Bash"}


class Noted:
    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def note(self, event: str, **details: Any) -> None:
        assert event == "hook"
        self.told.append(details)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / ".ralph").mkdir()
    return tmp_path / ".ralph" / "hook-events.jsonl"


def reader(tmp_path: Path) -> tuple[HookEvents, Noted]:
    noted = Noted()
    return HookEvents(str(tmp_path), OURS, noted), noted  # type: ignore[arg-type]


def append(log: Path, *entries: Any) -> None:
    with log.open("ab") as file:
        file.writelines(json.dumps(entry).encode() + b"\n" for entry in entries)


def test_each_is_told_once(tmp_path: Path, log: Path) -> None:
    events, noted = reader(tmp_path)
    events.finish()
    blocked = {**DENIED, "event": "gate-blocked", "group": "uncommitted"}
    append(log, DENIED)
    events.finish()
    append(log, blocked)
    events.finish()
    events.finish()
    assert noted.told == [
        {"what": "guard-denied", "rule": "sudo", "tool": "Bash"},
        {"what": "gate-blocked", "group": "uncommitted"},
    ]


def test_others_and_what_is_no_event_are_passed_over(tmp_path: Path, log: Path) -> None:
    passed = {**DENIED, "event": "gate-passed"}
    append(
        log,
        {**DENIED, "session": "another", "tool": OURS},
        passed,
        [OURS],
        {**DENIED, "event": [OURS]},
    )
    with log.open("ab") as file:
        file.write(b"\xff" + OURS.encode() + b"\n" + json.dumps(DENIED).encode()[:-5])
    events, noted = reader(tmp_path)
    events.finish()
    assert noted.told == []


def test_a_flood_and_long_words_are_cut(tmp_path: Path, log: Path) -> None:
    append(log, *[{**DENIED, "rule": "x" * 10_000, "tool": 5}] * 20, *[DENIED] * 500)
    events, noted = reader(tmp_path)
    events.finish()
    append(log, DENIED)
    events.finish()
    assert len(noted.told) == 100
    assert noted.told[0] == {"what": "guard-denied", "rule": "x" * 60, "tool": "5"}


@pytest.mark.parametrize("kind", ["missing", "folder", "link", "fifo"])
def test_what_is_no_file_tells_nothing(tmp_path: Path, log: Path, kind: str) -> None:
    if kind == "folder":
        log.mkdir()
    elif kind == "link":
        append(tmp_path / "elsewhere", DENIED)
        log.symlink_to(tmp_path / "elsewhere")
    elif kind == "fifo":
        os.mkfifo(log)
    events, noted = reader(tmp_path)
    events.finish()
    assert noted.told == []


def test_the_numbers_of_a_run() -> None:
    kinds = ["guard-denied", "gate-blocked", "gate-blocked", "gate-exhausted", "?"]
    assert hook_events.counted_in(kinds) == "1 call denied, 2 stops refused, 1 stop let go"
    assert hook_events.counted_in(["?"]) == ""

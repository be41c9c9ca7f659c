"""The level is read from the transcript's end: the last answer since the last compaction."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core import context_alert, context_usage

MIB = 1 << 20
NOISE = b'{"type":"user","message":{"content":"' + b"x" * 60_000 + b'"}}\n'


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def answer(tokens: int, name: str = "m1", call: str = "", **message: Any) -> bytes:
    usage = {
        "input_tokens": 3,
        "cache_read_input_tokens": tokens - 7,
        "cache_creation_input_tokens": 4,
        "output_tokens": 999_999,
    }
    block = {"type": "tool_use", "id": call, "name": "Bash", "input": {}}
    whole = {"id": name, "model": "claude-x", "content": [block], "usage": usage, **message}
    return line(type="assistant", isSidechain=False, message=whole)


COMPACTED = line(type="system", subtype="compact_boundary", compactMetadata={"preTokens": 150_000})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


def read(path: Path, data: bytes, call: str = "") -> context_usage.Usage:
    path.write_bytes(data)
    found = context_usage.read(str(path), call, 4)
    assert found is not None and found.size == len(data)
    return found


def test_input_and_both_caches_of_the_last_answer_count(path: Path) -> None:
    assert read(path, answer(50_000) + NOISE + answer(60_000))[:3] == (60_000, True, True)


@pytest.mark.parametrize(
    "later",
    [
        answer(90_000, model="<synthetic>"),
        answer(90_000).replace(b'"isSidechain": false', b'"isSidechain": true'),
        answer(90_000, usage=None),
        answer(90_000, usage={"input_tokens": 0, "cache_read_input_tokens": "90000"}),
        answer(90_000, usage={"input_tokens": -5, "cache_read_input_tokens": True}),
        line(type="assistant", message="usage"),
        line(type="user", message={"content": '"assistant" "usage" "compact_boundary"'}),
        line(type="user", toolUseResult={"type": "assistant", "usage": {"input_tokens": 90_000}}),
        line(type="system", subtype="x", content="compact_boundary"),
        answer(90_000)[:-40],
        answer(90_000)[:-40] + b"\n",
        b"\0" * 70_000,
        b"\xff\xfe" * 1000 + b'"assistant" "usage"\n',
        b"[" * 100_000 + b'"assistant" "usage"\n',
        b"\n" * 1000,
    ],
)
def test_what_is_no_answer_to_the_session_is_passed_over(path: Path, later: bytes) -> None:
    assert read(path, answer(60_000) + later)[:2] == (60_000, True)


@pytest.mark.parametrize("distance", [0, 1, 2, 10])
@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
def test_an_answer_is_found_wherever_the_steps_cut_it(
    path: Path, distance: int, shift: int
) -> None:
    last = answer(60_000)
    gap = max(0, distance * 65_536 - len(last) // 2 + shift)
    data = answer(50_000) + last + b"x" * gap + b"\n"
    assert read(path, data)[:2] == (60_000, True)


def test_an_answer_may_be_longer_than_a_step(path: Path) -> None:
    long = answer(60_000, content=[{"type": "text", "text": "x" * 300_000}])
    assert read(path, answer(50_000) + long)[:2] == (60_000, True)


def test_nothing_is_read_above_the_last_mib(path: Path) -> None:
    far, near = answer(60_000), b"x" * (MIB - 500) + b"\n"
    assert read(path, far + near)[:2] == (60_000, True)
    beyond = far + b"x" * MIB + b"\n"
    assert read(path, beyond)[:2] == (len(beyond) // 4, False)


def test_without_an_answer_the_bytes_since_the_compaction_are_a_guess(path: Path) -> None:
    assert read(path, NOISE)[:2] == (len(NOISE) // 4, False)
    assert read(path, b"")[:2] == (0, False)
    since = COMPACTED + NOISE
    assert read(path, answer(150_000) + since)[:2] == (len(since) // 4, False)


def test_an_answer_since_the_compaction_counts(path: Path) -> None:
    data = answer(150_000) + COMPACTED + NOISE + answer(20_000)
    assert read(path, data)[:2] == (20_000, True)
    assert context_usage.last_compaction(str(path)) == len(answer(150_000))


def test_without_a_compaction_near_the_end_there_is_no_place_of_one(path: Path) -> None:
    quoted = line(type="user", message={"content": COMPACTED.decode()})
    for data in (b"", answer(5), quoted, COMPACTED + b"x" * MIB):
        path.write_bytes(data)
        assert context_usage.last_compaction(str(path)) == -1
    assert context_usage.last_compaction(str(path) + ".gone") == -1


def test_the_answer_that_made_the_call_is_current(path: Path) -> None:
    """Also where a later block of the same answer stands behind it."""
    old, mine = answer(50_000, "m1", "toolu_1"), answer(60_000, "m2", "toolu_2")
    sibling = answer(60_000, "m2", "toolu_3")
    assert read(path, old + mine, "toolu_2").current
    assert read(path, old + mine + sibling, "toolu_2").current
    assert read(path, old + mine + sibling, "").current
    assert not read(path, old, "toolu_2").current
    assert not read(path, mine + old, "toolu_2").current
    assert not read(path, b"", "toolu_2").current


def test_the_answer_is_waited_for_but_not_for_long(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client is late by some milliseconds: it writes while the hook sleeps."""
    path.write_bytes(answer(50_000, "m1", "toolu_1"))
    sent = {"transcript_path": str(path), "tool_use_id": "toolu_2"}
    slept: list[float] = []

    def client_writes(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            path.write_bytes(path.read_bytes() + answer(190_000, "m2", "toolu_2"))

    monkeypatch.setattr(time, "sleep", client_writes)
    environment = {"TMPDIR": str(path.parent)}
    assert "95 %" in context_alert.due(str(path.parent), "s-1", sent, environment)
    assert len(slept) == 3
    monkeypatch.undo()
    begun = time.monotonic()
    sent["tool_use_id"] = "toolu_never"
    assert context_alert.due(str(path.parent), "s-1", sent, environment) == ""
    assert time.monotonic() - begun >= 1.0


def test_a_transcript_that_is_still_to_be_made_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = {"transcript_path": str(path), "tool_use_id": "toolu_1"}
    monkeypatch.setattr(time, "sleep", lambda _: path.write_bytes(answer(190_000, "m1", "toolu_1")))
    environment = {"TMPDIR": str(path.parent)}
    assert "95 %" in context_alert.due(str(path.parent), "s-1", sent, environment)


def test_no_regular_file_is_no_answer(path: Path, tmp_path: Path) -> None:
    os.mkfifo(path)
    for name in (str(path), str(tmp_path / "none"), "", str(tmp_path), "a\0b", "/dev/zero"):
        assert context_usage.read(name, "", 4) is None

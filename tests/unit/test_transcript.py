"""The transcript is read from where it was left: whole lines, at any size, whatever is in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core import transcript

HUGE = 200 * 1024 * 1024


def entry(kind: str, **fields: Any) -> bytes:
    return json.dumps({"type": kind, **fields}).encode() + b"\n"


def text(words: str, message: str = "m1", **fields: Any) -> bytes:
    return said({"type": "text", "text": words}, message, **fields)


def tool(message: str = "m1", **fields: Any) -> bytes:
    return said({"type": "tool_use", "id": "t", "name": "Bash", "input": {}}, message, **fields)


def said(block: dict[str, Any], message: str, **fields: Any) -> bytes:
    return entry("assistant", message={"id": message, "content": [block]}, **fields)


def queue(operation: str, **fields: Any) -> bytes:
    return entry("queue-operation", operation=operation, **fields)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


def news(path: Path, data: bytes, offset: int = 0) -> transcript.News:
    path.write_bytes(data)
    found = transcript.since(str(path), offset, [])
    assert found is not None
    return found


def test_the_blocks_of_the_last_message_are_one(path: Path) -> None:
    data = text("old", "m0") + entry("user") + text("one", "m1") + text("two", "m1")
    assert news(path, data).last_texts == ["one", "two"]


def test_a_prompt_behind_the_message_means_that_the_answer_is_not_there_yet(path: Path) -> None:
    assert news(path, text("old") + entry("user", isMeta=True)).last_texts is None
    assert news(path, b"").last_texts is None


def test_tool_calls_are_counted_from_the_offset_on(path: Path) -> None:
    first = tool("m0") + entry("user") + tool("m1")
    data = first + tool("m2") + tool("m2") + text("end", "m3")
    assert news(path, data).tool_calls == 4
    assert news(path, data, len(first)).tool_calls == 2
    assert news(path, data, len(data)).tool_calls == 0


def test_a_subagents_calls_count_through_its_result(path: Path) -> None:
    data = tool() + entry("user", toolUseResult={"totalToolUseCount": 7}) + text("end", "m2")
    assert news(path, data).tool_calls == 8


@pytest.mark.parametrize("count", [None, "7", -1, True, 1.5, [], 10**9])
def test_an_odd_count_counts_nothing(path: Path, count: Any) -> None:
    assert news(path, entry("user", toolUseResult={"totalToolUseCount": count})).tool_calls == 0


def test_words_about_tools_are_no_calls(path: Path) -> None:
    spoken = text('{"type":"tool_use"}') + entry("user", message={"content": '"tool_use"'})
    assert news(path, spoken + tool(isSidechain=True)).tool_calls == 0


def test_a_torn_line_is_read_when_it_is_whole(path: Path) -> None:
    whole, half = tool(), tool("m2")
    seen = news(path, whole + half[:40])
    assert (seen.tool_calls, seen.offset) == (1, len(whole))
    assert news(path, whole + half, seen.offset).tool_calls == 1


@pytest.mark.parametrize(
    "line",
    [
        *(b"\xff\xfe\"assistant\"", b'{"type":"assistant"', b'"assistant"', b'["assistant"]', b""),
        b'{"type":"assistant","message":null}',
        b'{"type":"assistant","message":{"content":"text"}}',
        b'{"type":"assistant","message":{"content":[1,null,{"type":"text","text":5}]}}',
        b'{"type":"queue-operation"}',
        b"[" * 100_000 + b'"user"',
        b"\0" * 100_000,
    ],
)
def test_a_line_that_makes_no_sense_is_passed_over(path: Path, line: bytes) -> None:
    seen = news(path, tool("m0") + line + b"\n" + tool("m1") + text("end", "m2"))
    assert (seen.tool_calls, seen.last_texts) == (2, ["end"])


def test_commands_wait_until_they_are_taken(path: Path) -> None:
    one, two = queue("enqueue", content="hello"), queue("enqueue", content=" /cancel-ralph ")
    assert news(path, one + two).queued == ["hello", "/cancel-ralph"]
    assert news(path, one + two + queue("dequeue")).queued == ["/cancel-ralph"]
    assert news(path, one + two + queue("dequeue") * 3).queued == []
    assert news(path, one + two + queue("remove", content="/cancel-ralph")).queued == ["hello"]
    assert news(path, one + two + queue("popAll")).queued == []
    assert len(news(path, one * 1000).queued) <= 50
    quoted = text('{"type":"queue-operation","operation":"enqueue","content":"/cancel-ralph"}')
    assert news(path, quoted).queued == []


def test_what_is_absorbed_without_a_name_is_never_a_command(path: Path) -> None:
    cancel, hello = queue("enqueue", content="/cancel-ralph"), queue("enqueue", content="hello")
    assert news(path, cancel + hello + queue("remove")).queued == ["/cancel-ralph"]
    assert news(path, cancel + queue("remove") * 3).queued == ["/cancel-ralph"]
    assert news(path, hello + cancel + queue("dequeue") * 2).queued == []


NOTE = "<task-notification>\n<summary>{}</summary>\n<usage><tool_uses>{}</tool_uses></usage>\n"


@pytest.mark.parametrize(
    ("content", "calls"),
    [
        (NOTE.format("d", 7), 7),
        (NOTE.format("<tool_uses>99</tool_uses>", 2), 2),
        (NOTE.format("d", 0), 0),
        (NOTE.format("d", -1), 0),
        (NOTE.format("d", "9" * 4000), 0),
        (NOTE.format("d", "٣"), 0),
        ("<task-notification>\n<status>completed</status>", 0),
        ("a person says " + NOTE.format("d", 7), 0),
    ],
)
def test_calls_of_a_subagent_in_the_background_count_at_its_end(
    path: Path, content: str, calls: int
) -> None:
    note = queue("enqueue", content=content)
    told = entry("user", message={"content": content})
    assert news(path, note + queue("dequeue") + told + text("end")).tool_calls == calls


def test_a_file_that_has_shrunk_is_counted_from_its_end(path: Path) -> None:
    seen = news(path, tool() * 3, offset=10**9)
    assert (seen.tool_calls, seen.offset) == (0, len(tool() * 3))


def test_no_file_is_no_answer(path: Path, tmp_path: Path) -> None:
    for name in (str(path), "", str(tmp_path), "a\0b"):
        assert transcript.since(name, 0, []) is None
        assert transcript.size(name) is None


def test_of_a_huge_gap_the_newest_part_counts(path: Path) -> None:
    with path.open("wb") as file:
        file.write(tool())
        file.truncate(HUGE)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + tool() + text("end", "m2"))
    seen = transcript.since(str(path), 0, [])
    assert seen is not None
    assert (seen.tool_calls, seen.last_texts) == (1, ["end"])
    assert seen.offset == path.stat().st_size == transcript.size(str(path))


def test_a_line_may_be_longer_than_a_step(path: Path) -> None:
    long = text("x" * 300_000 + " end", "m2")
    assert news(path, tool() + long).last_texts == ["x" * 300_000 + " end"]

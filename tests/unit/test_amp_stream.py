"""Every recorded and every documented stream of Amp, read and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.agents import amp, events
from ralph_engine.agents.endings import Ended
from ralph_engine.agents.events import Event, Text, Todo, TodoItem, ToolEnd, ToolStart

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes" / "amp"
ALL = sorted(
    path.relative_to(CASSETTES).with_suffix("").as_posix() for path in CASSETTES.rglob("*.jsonl")
)
REAL, DOCUMENTED = "0.0.1767830505", "documented"
# exit code, kind, start of the detail
ENDINGS = {
    f"{REAL}/work": (0, "ok", ""),
    f"{REAL}/steps": (0, "ok", ""),
    f"{REAL}/empty": (0, "empty", "nothing was said"),
    f"{REAL}/drop": (0, "network", "Connection error."),
    f"{REAL}/http401": (0, "auth", "Unauthorized. Check your access token."),
    f"{REAL}/http404": (0, "not_found", "404 "),
    f"{REAL}/http429": (0, "limit", "429 "),
    f"{REAL}/http500": (0, "overloaded", "500 "),
    f"{REAL}/http529": (0, "overloaded", "Model provider overloaded."),
    f"{DOCUMENTED}/text": (0, "ok", ""),
    f"{DOCUMENTED}/tool": (0, "ok", ""),
    f"{DOCUMENTED}/error": (1, "failed", "example error text"),
}


def read(name: str) -> tuple[amp.Parser, list[Event]]:
    return fed((CASSETTES / f"{name}.jsonl").read_bytes().splitlines())


def fed(lines: list[bytes]) -> tuple[amp.Parser, list[Event]]:
    parser = amp.Parser()
    return parser, [event for line in lines for event in parser.feed(line)]


def raw(name: str, kind: str) -> list[dict[str, Any]]:
    text = (CASSETTES / f"{name}.jsonl").read_text()
    found = [json.loads(line) for line in text.splitlines()]
    return [event for event in found if event["type"] == kind]


def raw_blocks(name: str, kind: str, block: str) -> list[dict[str, Any]]:
    messages = [event["message"] for event in raw(name, kind)]
    return [b for message in messages for b in message["content"] if b["type"] == block]


def line(**event: object) -> bytes:
    return json.dumps(event).encode()


def only(found: list[Event], kind: type) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def failed(words: str, code: int = 0, cause: str | None = None) -> Ended:
    result = line(type="result", subtype="error_during_execution", is_error=True, error=words)
    return amp.ended(fed([result])[0], code, cause)


def test_every_cassette_has_an_expected_ending() -> None:
    assert sorted(ENDINGS) == ALL


@pytest.mark.parametrize("name", ENDINGS)
def test_ending(name: str) -> None:
    code, kind, detail = ENDINGS[name]
    end = amp.ended(read(name)[0], code, None)
    assert (end.kind, end.detail[: len(detail)]) == (kind, detail)


@pytest.mark.parametrize("name", ENDINGS)
def test_tools_texts_and_tokens_are_those_counted_apart(name: str) -> None:
    parser, found = read(name)
    calls, answers = (
        raw_blocks(name, "assistant", "tool_use"),
        raw_blocks(name, "user", "tool_result"),
    )
    assert [start.id for start in only(found, ToolStart)] == [call["id"] for call in calls]
    assert [end.id for end in only(found, ToolEnd)] == [a["tool_use_id"] for a in answers]
    texts = [block["text"] for block in raw_blocks(name, "assistant", "text")]
    assert [text.text for text in only(found, Text)] == texts
    usages = [event["message"]["usage"] for event in raw(name, "assistant")]
    result = parser.result
    assert result is not None
    assert result.cost_usd is None
    for field, told in (
        ("input_tokens", "input_tokens"),
        ("output_tokens", "output_tokens"),
        ("cache_read_tokens", "cache_read_input_tokens"),
        ("cache_write_tokens", "cache_creation_input_tokens"),
    ):
        expected = sum(usage[told] for usage in usages) if usages else None
        assert getattr(result, field) == expected
    [final] = raw(name, "result")
    assert parser.final_text == final.get("result", "")
    assert (result.turns, result.duration) == (final["num_turns"], final["duration_ms"] / 1000)


@pytest.mark.parametrize("name", ENDINGS)
def test_nothing_in_a_stream_is_unknown(name: str) -> None:
    assert only(read(name)[1], events.Unknown) == []


def test_a_failing_command_is_one_by_its_exit_code() -> None:
    ends = only(read(f"{REAL}/work")[1], ToolEnd)
    assert [(end.ok, end.output) for end in ends] == [
        (True, "one\ntwo\n"),
        (False, "Exit code 3\n"),
        (True, "parallel\n"),
        (True, "Successfully created file /home/dev/project/a.txt"),
    ]


@pytest.mark.parametrize(
    "content", ['see: {"exitCode":3}', '{"exitCode": no', '{"a":{"exitCode":3}}', "", "{"]
)
def test_what_only_looks_like_an_exit_code_is_output(content: str) -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": False}
    [end] = fed([line(type="user", message={"content": [block]})])[1]
    assert (end.ok, end.output) == (True, content)


def test_what_a_call_is_about() -> None:
    starts = only(read(f"{REAL}/work")[1], ToolStart)
    assert [(start.name, start.summary) for start in starts] == [
        ("Bash", "echo one; echo two"),
        ("Bash", "exit 3"),
        ("Bash", "echo parallel"),
        ("create_file", "/home/dev/project/a.txt"),
    ]


def test_figures_of_the_final_event_come_first() -> None:
    usage = {"input_tokens": 7, "output_tokens": 5}
    message = line(type="assistant", message={"content": [], "usage": usage})
    own = {**usage, "input_tokens": 100, "cache_read_input_tokens": 80}
    parser, _ = fed([message, line(type="result", subtype="success", result="x", usage=own)])
    result = parser.result
    assert result is not None
    assert (result.input_tokens, result.output_tokens) == (100, 5)
    assert (result.cache_read_tokens, result.cache_write_tokens) == (80, None)


def test_the_list_of_things_to_do() -> None:
    [todo] = only(read(f"{REAL}/steps")[1], Todo)
    assert todo.items == (
        TodoItem("Step 1", "completed"),
        TodoItem("Step 2", "in_progress"),
        TodoItem("Step 3", "pending"),
    )


def test_what_a_subagent_does_names_its_parent() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}}
    event = line(type="assistant", message={"content": [block]}, parent_tool_use_id="t0")
    assert fed([event])[1] == [ToolStart("Read", "t1", "a.py", "t0")]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Insufficient credit balance.", "auth"),
        ("Out of credits", "auth"),
        ("You've reached the usage limit for 'free' mode", "limit"),
        ('403 {"type":"error"}', "auth"),
        ('400 {"type":"error","error":{"message":"overloaded"}}', "failed"),
        ("Error: Cannot reach Amp servers. Are you offline?", "network"),
        ("something else", "failed"),
        ("", "failed"),
    ],
)
def test_words_of_an_error(words: str, kind: str) -> None:
    assert failed(words).kind == kind


def test_ended_by_us_is_our_doing_whatever_the_client_calls_it() -> None:
    assert failed("interrupted", cause="timeout").kind == "timeout"


def test_a_stream_that_breaks_off() -> None:
    parser, _ = fed([line(type="system", subtype="init"), b"Error: something"])
    assert amp.ended(parser, 1, None).detail == (
        "the stream ended without a final event (exit code 1): Error: something"
    )

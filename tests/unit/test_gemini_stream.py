"""Every recorded stream of the real Gemini CLI, read and judged."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.agents import events, gemini, gemini_ending, gemini_stream
from ralph_engine.agents.endings import Ended
from ralph_engine.agents.events import (
    Event,
    Progress,
    Result,
    Text,
    Todo,
    TodoItem,
    ToolEnd,
    ToolStart,
)

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes" / "gemini"
ALL = sorted(
    path.relative_to(CASSETTES).with_suffix("").as_posix() for path in CASSETTES.rglob("*.jsonl")
)
CUT_SHORT = "the stream ended without a final event"
# exit code, cause, kind, start of the detail
ENDINGS: dict[str, tuple[int, str | None, str, str]] = {
    **dict.fromkeys(("hook", "steps", "text", "tools", "work"), (0, None, "ok", "")),
    "drop": (1, None, "network", "[API Error: exception TypeError: fetch failed"),
    "empty": (0, None, "empty", "The model returned an empty response"),
    "http401": (145, None, "auth", '[API Error: {"error":{"code":401'),
    "http404": (1, None, "not_found", "[API Error: models/gemini-9 is not found"),
    "http500": (244, None, "overloaded", '[API Error: {"error":{"code":500'),
    "limit": (173, None, "limit", "[API Error: You have exhausted your capacity"),
    "limit-of-a-day": (173, None, "limit", "[API Error: You have exhausted your daily quota"),
    "no-key": (41, None, "auth", "no way to sign in (exit code 41)"),
    "sigint-group": (0, "signal", "signal", "the runner ended it"),
    "sigint-pid": (-9, None, "signal", "ended by SIGKILL"),
    "sigterm-group": (0, None, "failed", f"{CUT_SHORT} (exit code 0)"),
}


def read(name: str) -> tuple[gemini.Parser, list[Event]]:
    return fed((CASSETTES / "0.61.0" / f"{name}.jsonl").read_bytes().splitlines())


def fed(lines: list[bytes]) -> tuple[gemini.Parser, list[Event]]:
    parser = gemini.Parser()
    return parser, [event for line in lines for event in parser.feed(line)]


def raw(name: str, *kinds: str) -> list[dict[str, Any]]:
    text = (CASSETTES / "0.61.0" / f"{name}.jsonl").read_text()
    found = [json.loads(line) for line in text.splitlines()]
    return [event for event in found if event["type"] in kinds]


def line(**event: object) -> bytes:
    return json.dumps(event).encode()


def piece(text: str) -> bytes:
    return line(type="message", role="assistant", content=text, delta=True)


def only(found: list[Event], kind: type) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def failed(words: str, code: int = 1, cause: str | None = None) -> Ended:
    parser, _ = fed([line(type="result", status="error", error={"message": words})])
    return gemini.ended(parser, code, cause)


def test_every_cassette_has_an_expected_ending() -> None:
    assert sorted(f"0.61.0/{name}" for name in ENDINGS) == ALL


@pytest.mark.parametrize("name", ENDINGS)
def test_ending(name: str) -> None:
    code, cause, kind, detail = ENDINGS[name]
    end = gemini.ended(read(name)[0], code, cause)
    assert (end.kind, end.detail[: len(detail)]) == (kind, detail)


@pytest.mark.parametrize("name", ENDINGS)
def test_tools_errors_texts_and_tokens_are_those_counted_apart(name: str) -> None:
    parser, found = read(name)
    starts, ends = only(found, ToolStart), only(found, ToolEnd)
    assert [start.id for start in starts] == [call["tool_id"] for call in raw(name, "tool_use")]
    results = raw(name, "tool_result")
    assert [end.id for end in ends] == [result["tool_id"] for result in results]
    assert [end.ok for end in ends] == [result["status"] == "success" for result in results]
    said = [event for event in raw(name, "message") if event["role"] == "assistant"]
    assert "".join(t.text for t in only(found, Text)) == "".join(e["content"] for e in said)
    finals = raw(name, "result")
    if not finals:
        assert (parser.result, parser.final_text) == (None, "")
        return
    [stats], result = [final["stats"] for final in finals], parser.result
    assert result is not None
    assert result.cost_usd is None
    inside = (result.input_tokens, result.cache_read_tokens, result.output_tokens)
    assert sum(part or 0 for part in inside) == stats["total_tokens"]
    assert result.cache_read_tokens == stats["cached"]


@pytest.mark.parametrize("name", ENDINGS)
def test_nothing_in_a_recording_is_unknown(name: str) -> None:
    assert only(read(name)[1], events.Unknown) == []


def test_a_session_event_by_event() -> None:
    _, found = read("work")
    plain = [event for event in found if not isinstance(event, (Progress, Result))]
    assert [as_shown(event) for event in plain] == [
        "text I look first.",
        "start run_shell_command echo one; echo two",
        "end True one\ntwo",
        "start run_shell_command exit 3",
        "start run_shell_command echo parallel",
        "end True Command exited with code: 3",
        "end True parallel",
        "start write_file /home/dev/project/a.txt",
        "end True ",
        "start write_file /elsewhere/a.txt",
        "end False Path not in workspace",
        "text All done.",
    ]


def as_shown(event: Event) -> str:
    if isinstance(event, ToolStart):
        return f"start {event.name} {event.summary}"
    if isinstance(event, ToolEnd):
        return f"end {event.ok} {event.output.partition(':')[0] if not event.ok else event.output}"
    assert isinstance(event, Text)
    return f"text {event.text}"


def test_pieces_are_one_message_until_something_else_follows() -> None:
    tool = line(type="tool_use", tool_name="glob", tool_id="1", parameters={"pattern": "*"})
    end = line(type="result", status="success", stats={})
    parser, found = fed([piece("Let "), piece("me see."), tool, piece("Do"), piece("ne."), end])
    assert [text.text for text in only(found, Text)] == ["Let me see.", "Done."]
    assert parser.final_text == "Done."


def test_what_was_said_before_a_hook_went_on_is_not_the_answer() -> None:
    parser, found = read("hook")
    assert [text.text for text in only(found, Text)] == ["finished once", "finished twice"]
    assert parser.final_text == "finished twice"


def test_of_a_long_message_the_end_is_kept() -> None:
    pieces = [piece("x" * 1000)] * 3000
    parser, found = fed([*pieces, piece("the end"), line(type="result", status="success")])
    assert parser.final_text.endswith("xthe end")
    assert len(parser.final_text) == gemini_stream.KEPT


def test_what_was_thought_counts_as_said() -> None:
    stats = {"total_tokens": 1255, "input_tokens": 1200, "cached": 1000, "input": 200}
    parser, _ = fed([line(type="result", status="success", stats={**stats, "output_tokens": 35})])
    assert parser.result is not None
    assert parser.result.output_tokens == 55


def test_figures_that_are_not_told_are_none() -> None:
    parser, _ = fed([line(type="result", status="success")])
    assert parser.result == Result()


def test_the_list_of_things_to_do() -> None:
    [todo] = only(read("steps")[1], Todo)
    assert todo.items == (
        TodoItem("Step 1", "completed"),
        TodoItem("Step 2", "in_progress"),
        TodoItem("Step 3", "pending"),
    )


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        ('[API Error: {"error":{"code":503,"message":"high demand"}}]', 247, "overloaded"),
        ('[API Error: {"error":{"code":400,"message":"API key not valid"}}]', 144, "auth"),
        ("[API Error: no words]", 147, "auth"),
        ("[API Error: no words]", 144, "failed"),
        ("[API Error: no words]", 17, "failed"),
        ("[API Error: API key not valid. Please pass a valid API key.]", 1, "auth"),
        ("Reached max session turns for this session.", 53, "max_turns"),
        ("[API Error: The model is overloaded.]", 1, "overloaded"),
        ("Operation cancelled.", 130, "signal"),
        ("something else", 42, "failed"),
        ("", 1, "failed"),
    ],
)
def test_words_and_codes_of_an_error(words: str, code: int, kind: str) -> None:
    assert failed(words, code).kind == kind


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Your quota will reset after 13h18m8s.", 13 * 3600 + 18 * 60 + 8),
        ("Please retry in 39.5s.", 39.5),
        ("Please retry in 500ms.", 0.5),
        ("Suggested retry after 60s.", 60),
        ("Please retry in 1.2.3s.", None),
        ("Please retry later.", None),
    ],
)
def test_when_a_limit_resets(words: str, seconds: float | None) -> None:
    reset = gemini_ending.reset_in(words, 1000.0)
    assert reset == (None if seconds is None else 1000 + seconds)
    assert gemini_ending.reset_in(words, None) is None


def test_the_recorded_limit_names_its_reset() -> None:
    [final] = raw("limit", "result")
    told = datetime.strptime(final["timestamp"][:19] + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    end = gemini.ended(read("limit")[0], 173, None)
    assert end.retry_after == (told + timedelta(hours=2, minutes=3, seconds=4)).timestamp()


@pytest.mark.parametrize("moment", [None, "", "yesterday", "2026-13-01T00:00:00Z", 5])
def test_a_limit_at_a_time_that_nobody_can_read_has_no_reset(moment: object) -> None:
    words = {"message": "Please retry in 39s."}
    parser, _ = fed([line(type="result", status="error", error=words, timestamp=moment)])
    assert gemini.ended(parser, 173, None).retry_after is None


def test_its_exit_code_42_asks_for_nobody() -> None:
    assert gemini.ended(gemini.Parser(), 42, None).kind == "failed"
    parser, _ = read("text")
    assert gemini.ended(parser, 42, None).kind == "ok"


def test_ended_by_us_is_our_doing_whatever_the_client_calls_it() -> None:
    assert failed("interrupted", cause="timeout").kind == "timeout"
    assert gemini.ended(gemini.Parser(), 41, "timeout").kind == "timeout"

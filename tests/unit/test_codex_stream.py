"""Every recorded stream of the real Codex, read and judged."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.agents import codex, codex_ending, endings, events
from ralph_engine.agents.endings import Ended
from ralph_engine.agents.events import Event, Result, Retry, Text, Todo, TodoItem, ToolEnd

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes" / "codex"
ALL = sorted(
    path.relative_to(CASSETTES).with_suffix("").as_posix() for path in CASSETTES.rglob("*.jsonl")
)
CUT_SHORT = "the stream ended without a final event"
BUSY = "We\u2019re currently experiencing high demand"
LIMIT = "You\u2019ve hit your usage limit."
DEAD = "stream disconnected before completion"
TOOLS = {"command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search"}

FINE = (
    *("bash-fail", "bash-ok", "goal", "hooks", "hooks-exit2", "hooks-project"),
    *("hooks-project-trust", "hooks-untrusted", "patch", "plan", "sandbox-broken"),
    *("sandbox-ww-fail", "sandbox-ww-ok", "sandbox-ww-patch", "steps", "text", "wide", "work"),
)
# exit code, cause, kind, start of the detail
ENDINGS: dict[str, tuple[int, str | None, str, str]] = {
    **dict.fromkeys(FINE, (0, None, "ok", "")),
    "capacity": (1, None, "overloaded", "Selected model is at capacity."),
    "drop": (1, None, "network", DEAD),
    "empty": (0, None, "empty", "nothing was said"),
    "http400ctx": (1, None, "failed", "Codex ran out of room in the model's context window."),
    "http401": (1, None, "auth", "unexpected status 401 Unauthorized"),
    "http403": (1, None, "auth", "unexpected status 403 Forbidden"),
    "http404": (1, None, "not_found", "The model `gpt-9` does not exist"),
    "http429": (1, None, "limit", "exceeded retry limit, last status: 429"),
    "http429-default": (1, None, "limit", "exceeded retry limit, last status: 429"),
    "http429h": (1, None, "limit", LIMIT),
    "http500": (1, None, "overloaded", BUSY),
    "http500-default-retries": (1, None, "overloaded", BUSY),
    "http503": (1, None, "overloaded", "unexpected status 503"),
    "limit": (1, None, "limit", LIMIT),
    "no-key": (1, None, "auth", "Missing environment variable: `SCRIPTED_KEY`."),
    "quota": (1, None, "auth", "Quota exceeded."),
    "sigint-bg": (1, None, "failed", f"{CUT_SHORT} (exit code 1)"),
    "sigint-during-model": (1, None, "failed", f"{CUT_SHORT} (exit code 1)"),
    "sigint-group": (1, "signal", "signal", "the runner ended it"),
    "sigint-pid": (1, "timeout", "timeout", "its time was over"),
    "sigkill-group": (-9, None, "signal", "ended by SIGKILL"),
    "sigkill-group-ww": (-9, None, "signal", "ended by SIGKILL"),
    "sigterm-bg-ww": (-15, None, "signal", "ended by SIGTERM"),
    "sigterm-group": (-15, None, "signal", "ended by SIGTERM"),
    "sigterm-group-ww": (-15, None, "signal", "ended by SIGTERM"),
    "sigterm-native": (-15, None, "signal", "ended by SIGTERM"),
    "sigterm-pid": (-15, None, "signal", "ended by SIGTERM"),
}


def read(name: str) -> tuple[codex.Parser, list[Event]]:
    return fed((CASSETTES / "0.169.0" / f"{name}.jsonl").read_bytes().splitlines())


def fed(lines: list[bytes]) -> tuple[codex.Parser, list[Event]]:
    parser = codex.Parser()
    return parser, [event for line in lines for event in parser.feed(line)]


def raw(name: str) -> list[dict[str, Any]]:
    text = (CASSETTES / "0.169.0" / f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def raw_items(name: str, stage: str, *kinds: str) -> list[dict[str, Any]]:
    items = [event["item"] for event in raw(name) if event["type"] == f"item.{stage}"]
    return [item for item in items if item["type"] in kinds]


def line(**event: object) -> bytes:
    return json.dumps(event).encode()


def only(found: list[Event], kind: type) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def failed(words: str, code: int = 1, cause: str | None = None) -> Ended:
    parser, _ = fed([line(type="turn.failed", error={"message": words})])
    return codex.ended(parser, code, cause)


def test_every_cassette_has_an_expected_ending() -> None:
    assert sorted(f"0.169.0/{name}" for name in ENDINGS) == ALL


@pytest.mark.parametrize("name", ENDINGS)
def test_ending(name: str) -> None:
    code, cause, kind, detail = ENDINGS[name]
    end = codex.ended(read(name)[0], code, cause)
    assert (end.kind, end.detail[: len(detail)]) == (kind, detail)


@pytest.mark.parametrize("name", ENDINGS)
def test_tools_errors_texts_and_tokens_are_those_counted_apart(name: str) -> None:
    parser, found = read(name)
    starts, ends = only(found, events.ToolStart), only(found, ToolEnd)
    assert [start.id for start in starts] == [i["id"] for i in raw_items(name, "started", *TOOLS)]
    completed = raw_items(name, "completed", *TOOLS)
    assert [end.id for end in ends] == [item["id"] for item in completed]
    assert sum(not end.ok for end in ends) == sum(i["status"] != "completed" for i in completed)
    messages = [item["text"] for item in raw_items(name, "completed", "agent_message")]
    assert [text.text for text in only(found, Text)] == messages
    usages = [event["usage"] for event in raw(name) if event["type"] == "turn.completed"]
    if not usages:
        assert parser.final_text == ""
        return
    [usage], result = usages, parser.result
    assert result is not None
    inside = (result.input_tokens, result.cache_read_tokens, result.cache_write_tokens)
    assert sum(part or 0 for part in inside) == usage["input_tokens"]
    assert result.cache_read_tokens == usage["cached_input_tokens"]
    assert result.output_tokens == usage["output_tokens"]
    assert result.cost_usd is None
    assert parser.final_text == (messages[-1] if messages else "")


@pytest.mark.parametrize("name", ENDINGS)
def test_nothing_in_a_recording_is_unknown(name: str) -> None:
    assert only(read(name)[1], events.Unknown) == []


def test_a_session_event_by_event() -> None:
    _, found = read("work")
    assert [as_shown(event) for event in found] == [
        "progress",
        "text I look first.",
        "start item_2 Shell echo one; echo two",
        "end item_2 True 2 lines 8 chars",
        "start item_3 Shell echo parallel",
        "end item_3 True 1 lines 9 chars",
        "start item_4 Shell exit 3",
        "end item_4 False 1 lines 12 chars",
        "start item_5 Edit add /home/dev/project/a.txt",
        "end item_5 True 0 lines 0 chars",
        "text All done.",
        "result 600 in 2000 read 50 written 70 out",
    ]


def as_shown(event: Event) -> str:
    if isinstance(event, events.ToolStart):
        return f"start {event.id} {event.name} {event.summary}"
    if isinstance(event, ToolEnd):
        return f"end {event.id} {event.ok} {event.lines} lines {event.chars} chars"
    if isinstance(event, Text):
        return f"text {event.text}"
    if isinstance(event, Result):
        read_, written = event.cache_read_tokens, event.cache_write_tokens
        parts = f"{event.input_tokens} in {read_} read {written} written"
        return f"result {parts} {event.output_tokens} out"
    return type(event).__name__.lower()


def test_the_list_of_things_to_do_and_the_one_at_work() -> None:
    lists = [todo.items for todo in only(read("steps")[1], Todo)]
    names = [f"Step {n}" for n in (1, 2, 3)]
    states = [
        ("completed", "in_progress", "pending"),
        ("completed", "completed", "in_progress"),
        ("completed", "completed", "completed"),
    ]
    assert lists == [tuple(map(TodoItem, names, row)) for row in states]


def test_new_tries_are_told_with_their_status() -> None:
    assert only(read("http503")[1], Retry) == [
        Retry(1, None, 503, raw("http503")[2]["message"][len("Reconnecting... 1/1 (") : -1])
    ]
    attempts = [retry.attempt for retry in only(read("http500-default-retries")[1], Retry)]
    assert attempts == [1, 2, 3, 4, 5]


def test_of_a_huge_answer_the_end_is_kept() -> None:
    text = "x" * 2_000_000 + "the end"
    said = line(type="item.completed", item={"type": "agent_message", "text": text})
    parser, found = fed([said, line(type="turn.completed", usage={})])
    assert found[0] == Text(text)
    assert (len(parser.final_text), parser.final_text[-8:]) == (1024 * 1024, "xthe end")


def test_a_warning_says_nothing_and_ends_nothing() -> None:
    parser, found = fed([line(type="item.completed", item={"type": "error", "message": "Hm"})])
    assert (found, parser.result) == ([], None)


def test_an_error_without_a_failed_turn_is_no_end() -> None:
    parser, found = fed([line(type="error", message="out of luck")])
    assert found == []
    assert codex.ended(parser, 0, None) == Ended(
        endings.FAILED, f"{CUT_SHORT} (exit code 0): out of luck"
    )


@pytest.mark.parametrize(
    ("code", "output"), [(3, "Exit code 3\nno\n"), (0, "no\n"), (None, "no\n"), ("3", "no\n")]
)
def test_a_command_that_failed_tells_how(code: object, output: str) -> None:
    item = {"type": "command_execution", "id": "1", "status": "failed", "exit_code": code}
    [end] = fed([line(type="item.completed", item={**item, "aggregated_output": "no\n"})])[1]
    assert (end.ok, end.output, end.chars) == (False, output, len(output))


def test_mcp_calls_searches_and_helpers() -> None:
    calls = [
        {"type": "mcp_tool_call", "server": "db", "tool": "query", "arguments": {"a": 1}},
        {"type": "web_search", "query": "how to"},
        {"type": "collab_tool_call", "tool": "spawn_agent", "prompt": "Look\nthere"},
    ]
    lines = [
        line(type=f"item.{stage}", item={"id": str(n), **call})
        for n, call in enumerate(calls)
        for stage in ("started", "updated", "completed")
    ]
    _, found = fed(lines)
    shown = [(start.name, start.summary) for start in only(found, events.ToolStart)]
    assert shown == [("db.query", ""), ("WebSearch", "how to"), ("Agent.spawn_agent", "Look")]
    assert [end.ok for end in only(found, ToolEnd)] == [True, True, True]


def test_what_a_failed_mcp_call_says_is_its_output() -> None:
    item = {"type": "mcp_tool_call", "id": "1", "status": "failed", "error": {"message": "No db"}}
    [end] = fed([line(type="item.completed", item=item)])[1]
    assert (end.ok, end.output) == (False, "No db")
    content = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    item = {**item, "status": "completed", "error": None, "result": {"content": content}}
    [end] = fed([line(type="item.completed", item=item)])[1]
    assert (end.ok, end.output) == (True, "one\ntwo")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/bin/bash -lc 'make test'", "make test"),
        ("/bin/zsh -lc \"echo 'hi'\"", "echo 'hi'"),
        ("bash -lc true", "true"),
        ("sh -c 'a'", "a"),
        ("grep -c x 'a b'", "grep -c x 'a b'"),
        ("bash -lc 'one\ntwo'", "one"),
        ("""bash -lc "echo 'a' "'$HOME'""", "echo 'a' $HOME"),
        ("bash -lc 'it'\"'\"'s'", "it's"),
        ("bash -lc 'cut off", "'cut off"),
        ("bash -lc two words", "two words"),
        ("", ""),
    ],
)
def test_a_command_is_shown_without_its_shell(command: str, shown: str) -> None:
    item = {"type": "command_execution", "id": "1", "command": command}
    [start] = fed([line(type="item.started", item=item)])[1]
    assert start.summary == shown


def at(*when: int) -> float:
    return time.mktime((*when, *(0, 0, 0, -1)))


NOW = at(2026, 3, 4, 13, 0)


@pytest.mark.parametrize(
    ("words", "reset"),
    [
        ("try again at 2:30 PM.", at(2026, 3, 4, 14, 31)),
        ("try again at 12:05 AM.", at(2026, 3, 4, 0, 6)),
        ("try again at 12:05 PM.", at(2026, 3, 4, 12, 6)),
        ("try again at Mar 5th, 2026 2:30 AM.", at(2026, 3, 5, 2, 31)),
        ("try again at Dec 31st, 2026 11:59 PM.", at(2027, 1, 1, 0, 0)),
        ("try again at Foo 5th, 2026 2:30 AM.", None),
        ("try again at Mar 5th, 9999999 2:30 AM.", None),
        ("try again later.", None),
    ],
)
def test_when_a_limit_resets(words: str, reset: float | None) -> None:
    assert codex_ending.reset_in(f"You've hit your usage limit, {words}", NOW) == reset


def test_the_recorded_limit_names_its_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    end = codex.ended(read("limit")[0], 1, None)
    monkeypatch.undo()
    time.tzset()
    assert end.retry_after == 1893513900  # the end of the minute that the message names


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("rate limit exceeded: slow down", "limit"),
        ("The 'gpt-9' model is not supported when using Codex with an account.", "not_found"),
        ("Please log out and sign in again, or run codex login.", "auth"),
        ("unexpected status 400 Bad Request: model overloaded", "failed"),
        ("unexpected status 529 <unknown status code>: over", "overloaded"),
        ("unexpected status 402 Payment Required", "auth"),
        ("timed out waiting for the model", "network"),
        ("something else", "failed"),
        ("", "failed"),
    ],
)
def test_words_of_a_failed_turn(words: str, kind: str) -> None:
    assert failed(words).kind == kind


def test_ended_by_us_is_our_doing_whatever_the_client_calls_it() -> None:
    assert failed("interrupted", cause="timeout").kind == "timeout"
    assert failed(LIMIT, cause="timeout").kind == "limit"


def test_a_person_asked_for_by_the_exit_code() -> None:
    parser, _ = read("text")
    assert codex.ended(parser, 42, None).kind == "wait"

"""Every recorded stream of the real client, read and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.agents import claude, endings, events
from ralph_engine.agents.endings import Ended
from ralph_engine.agents.events import Event, Result, TodoItem

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes" / "claude"
ALL = sorted(
    path.relative_to(CASSETTES).with_suffix("").as_posix() for path in CASSETTES.rglob("*.jsonl")
)

CUT_SHORT = "the stream ended without a final event"

# exit code, cause, kind, start of the detail
ENDINGS: dict[str, tuple[int, str | None, str, str]] = {
    "2.1.197/bash-fail": (0, None, "ok", ""),
    "2.1.197/bash-ok": (0, None, "ok", ""),
    "2.1.197/drop": (1, None, "network", "API Error: Unable to connect to API (ECONNRESET)"),
    "2.1.197/files": (0, None, "ok", ""),
    "2.1.197/hooks": (0, None, "ok", ""),
    "2.1.197/http400": (1, None, "failed", "API Error: 400 mock error 400"),
    "2.1.197/http401": (1, None, "auth", "Failed to authenticate. API Error: 401 mock error 401"),
    "2.1.197/http403": (1, None, "auth", "Failed to authenticate. API Error: 403 mock error 403"),
    "2.1.197/http404": (1, None, "not_found", "There's an issue with the selected model ("),
    "2.1.197/http413": (1, None, "failed", "Request too large (max 32MB)."),
    "2.1.197/http429": (1, None, "limit", "API Error: Request rejected (429) · mock error 429"),
    "2.1.197/http500": (1, None, "overloaded", "API Error: 500 mock error 500."),
    "2.1.197/http500-default-30s": (124, "timeout", "timeout", "its time was over"),
    "2.1.197/http529": (1, None, "overloaded", "API Error: 529 mock error 529."),
    "2.1.197/maxbudget": (1, None, "budget", "Reached maximum budget ($0.004)"),
    "2.1.197/maxturns": (1, None, "max_turns", "Reached maximum number of turns (2)"),
    "2.1.197/parallel": (0, None, "ok", ""),
    "2.1.197/partial": (0, None, "ok", ""),
    "2.1.197/sigint-pid": (1, None, "failed", "[ede_diagnostic]"),
    "2.1.197/sigkill-group": (-9, None, "signal", "ended by SIGKILL"),
    "2.1.197/sigterm-bgtool": (143, None, "signal", "ended by SIGTERM"),
    "2.1.197/sigterm-group": (0, None, "failed", f"{CUT_SHORT} (exit code 0)"),
    "2.1.197/sigterm-pid": (143, "signal", "signal", "the runner ended it"),
    "2.1.197/subagent": (0, None, "ok", ""),
    "2.1.197/tasks": (0, None, "ok", ""),
    "2.1.197/text": (0, None, "ok", ""),
    "2.1.197/todowrite": (0, None, "ok", ""),
    "2.1.197/todowrite-tasks0": (0, None, "ok", ""),
    "2.1.326/background": (0, None, "ok", ""),
    "2.1.326/billing": (1, None, "auth", "Credit balance is too low"),
    "2.1.326/drop": (1, None, "network", "API Error: Connection dropped (ECONNRESET)."),
    "2.1.326/empty": (0, None, "empty", "nothing was said"),
    "2.1.326/http404": (1, None, "not_found", "There's an issue with the selected model ("),
    "2.1.326/limit": (1, None, "limit", "You've hit your 5-hour limit"),
    "2.1.326/maxbudget": (1, None, "budget", "Reached maximum budget ($0.001)"),
    "2.1.326/not-logged-in": (1, None, "auth", "Not logged in"),
    "2.1.326/prompt-too-long": (1, None, "failed", "Prompt is too long"),
    "2.1.326/tasks": (0, None, "ok", ""),
    "2.1.326/wide": (0, None, "ok", ""),
    "2.1.326/work": (0, None, "ok", ""),
}


def read(name: str) -> tuple[claude.Parser, list[Event]]:
    return fed((CASSETTES / f"{name}.jsonl").read_bytes().splitlines())


def fed(lines: list[bytes]) -> tuple[claude.Parser, list[Event]]:
    parser = claude.Parser()
    return parser, [event for line in lines for event in parser.feed(line)]


def raw(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASSETTES / f"{name}.jsonl").read_text().splitlines()]


def raw_blocks(name: str, kind: str) -> list[dict[str, Any]]:
    messages = [event["message"] for event in raw(name) if "message" in event]
    return [block for message in messages for block in message["content"] if block["type"] == kind]


def line(**event: object) -> bytes:
    return json.dumps(event).encode()


def final(**fields: object) -> bytes:
    return line(type="result", **{"subtype": "success", "is_error": False, **fields})


def end_of(*lines: bytes, code: int | None = 0, cause: str | None = None) -> Ended:
    return claude.ended(fed(list(lines))[0], code, cause)


def only(found: list[Event], kind: type) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def test_every_cassette_has_an_expected_ending() -> None:
    assert sorted(ENDINGS) == ALL


@pytest.mark.parametrize("name", ALL)
def test_ending(name: str) -> None:
    code, cause, kind, detail = ENDINGS[name]
    end = claude.ended(read(name)[0], code, cause)
    assert (end.kind, end.detail[: len(detail)]) == (kind, detail)
    assert end.kind in endings.KINDS


@pytest.mark.parametrize("name", ALL)
def test_tools_and_errors_are_all_there(name: str) -> None:
    _, found = read(name)
    calls, results = raw_blocks(name, "tool_use"), raw_blocks(name, "tool_result")
    starts, ends = only(found, events.ToolStart), only(found, events.ToolEnd)
    assert [(start.name, start.id) for start in starts] == [(c["name"], c["id"]) for c in calls]
    assert [end.id for end in ends] == [result["tool_use_id"] for result in results]
    assert sum(not end.ok for end in ends) == sum(bool(r.get("is_error")) for r in results)
    texts = [
        block["text"]
        for e in raw(name)
        if e["type"] == "assistant"
        for block in e["message"]["content"]
        if block["type"] == "text"
    ]
    assert [text.text for text in only(found, events.Text)] == texts


@pytest.mark.parametrize("name", ALL)
def test_cost_and_tokens(name: str) -> None:
    finals = [event for event in raw(name) if event["type"] == "result"]
    result = read(name)[0].result
    if not finals:
        assert result is None
        return
    assert result is not None
    used = list(finals[-1]["modelUsage"].values())
    expected = {
        "cost_usd": finals[-1]["total_cost_usd"],
        "input_tokens": sum(model["inputTokens"] for model in used),
        "output_tokens": sum(model["outputTokens"] for model in used),
        "cache_read_tokens": sum(model["cacheReadInputTokens"] for model in used),
        "cache_write_tokens": sum(model["cacheCreationInputTokens"] for model in used),
        "turns": sum(final["num_turns"] for final in finals),
        "context_window": used[0]["contextWindow"] if used else None,
    }
    assert {name: getattr(result, name) for name in expected} == expected
    assert result.duration == pytest.approx(sum(f["duration_ms"] for f in finals) / 1000)


@pytest.mark.parametrize("name", ALL)
def test_nothing_in_a_recording_is_unknown(name: str) -> None:
    assert only(read(name)[1], events.Unknown) == []


@pytest.mark.parametrize("name", ALL)
def test_events_have_a_json_form(name: str) -> None:
    for event in read(name)[1]:
        document = json.loads(json.dumps(events.as_json(event._replace(at=1.5))))
        assert document["at"] == 1.5
        assert ("parent" in document) == (event.parent is not None)


def test_json_forms() -> None:
    todo = events.Todo((TodoItem("Write test", "pending"),), "toolu_1", 2.0)
    assert events.as_json(todo) == {
        "kind": "todo",
        "items": [{"text": "Write test", "status": "pending"}],
        "parent": "toolu_1",
        "at": 2.0,
    }
    assert events.as_json(events.Text("hi")) == {"kind": "text", "text": "hi", "at": 0.0}


def test_a_plain_answer() -> None:
    parser, found = read("2.1.197/text")
    session = "1683aa5d-149f-4cd0-9853-25d96a1dc013"
    assert found[:2] == [
        events.Progress(session, "claude-opus-4-8[1m]"),
        events.Text("Hello from mock"),
    ]
    assert parser.final_text == "Hello from mock"


def test_summaries() -> None:
    shown = [(s.name, s.summary) for s in only(read("2.1.197/files")[1], events.ToolStart)]
    assert shown[:2] == [
        ("Write", "/home/dev/project/claude/a.txt"),
        ("Read", "/home/dev/project/claude/a.txt"),
    ]
    (start,) = only(read("2.1.197/bash-fail")[1], events.ToolStart)
    assert start.summary == "ls /nonexistent-dir; exit 3"


def test_sizes_of_results() -> None:
    ends = only(read("2.1.197/files")[1], events.ToolEnd)
    assert (ends[1].lines, ends[1].chars) == (3, len("1\tline one\n2\tline two\n3\t"))
    assert ends[1].output.startswith("1\tline one")


def test_a_long_output_is_cut_but_counted_whole() -> None:
    block = {"type": "tool_result", "tool_use_id": "t", "content": "x\n" * 50_000}
    _, found = fed([line(type="user", message={"content": [block]})])
    (end,) = only(found, events.ToolEnd)
    assert (end.lines, end.chars, len(end.output)) == (50_000, 100_000, 20_000)


def test_tasks_are_rebuilt_from_the_answers() -> None:
    lists = [todo.items for todo in only(read("2.1.197/tasks")[1], events.Todo)]
    test, bug = "Write test", "Fix bug"
    assert lists == [
        (TodoItem(test, "pending"),),
        (TodoItem(test, "pending"), TodoItem(bug, "pending")),
        (TodoItem(test, "in_progress"), TodoItem(bug, "pending")),
        (TodoItem(test, "completed"), TodoItem(bug, "pending")),
        (TodoItem(test, "completed"),),
    ]


def test_todo_write_counts_only_where_it_worked() -> None:
    assert only(read("2.1.197/todowrite")[1], events.Todo) == []
    lists = [todo.items for todo in only(read("2.1.197/todowrite-tasks0")[1], events.Todo)]
    assert lists[-1] == (TodoItem("Write test", "completed"), TodoItem("Fix bug", "in_progress"))


def todo_call(name: str, **given: object) -> bytes:
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    return line(type="assistant", message={"content": [block]})


def todo_answer(told: object, error: bool = False) -> bytes:
    block = {"type": "tool_result", "tool_use_id": "t", "content": "", "is_error": error}
    return line(type="user", message={"content": [block]}, tool_use_result=told)


ONE_TASK = [todo_call("TaskCreate"), todo_answer({"task": {"id": "1", "subject": "Old"}})]


def test_a_task_gets_a_new_subject() -> None:
    update = todo_call("TaskUpdate", taskId="1", subject="New")
    done = {"success": True, "taskId": "1", "updatedFields": ["subject"]}
    _, found = fed([*ONE_TASK, update, todo_answer(done)])
    assert only(found, events.Todo)[-1].items == (TodoItem("New", "pending"),)


def test_an_update_that_failed_changes_no_task() -> None:
    told = {"taskId": "1", "statusChange": {"to": "completed"}}
    for answer in (
        todo_answer({**told, "success": False}),
        todo_answer({**told, "success": True}, error=True),
    ):
        _, found = fed([*ONE_TASK, todo_call("TaskUpdate", taskId="1"), answer])
        assert len(only(found, events.Todo)) == 1


def test_a_subagents_events_name_their_parent() -> None:
    _, found = read("2.1.197/subagent")
    assert [(s.name, s.parent) for s in only(found, events.ToolStart)] == [
        ("Agent", None),
        ("Bash", "toolu_2"),
    ]
    assert [e.parent for e in only(found, events.ToolEnd)] == ["toolu_2", None]


def test_of_several_final_events_the_last_is_the_answer() -> None:
    parser, found = read("2.1.326/background")
    assert [result.text for result in only(found, Result)] == ["waiting for it", "final answer"]
    assert parser.final_text == "final answer"


def test_retries_are_told() -> None:
    retries = only(read("2.1.197/http429")[1], events.Retry)
    assert [(r.attempt, r.status, r.error) for r in retries] == [
        (1, 429, "rate_limit"),
        (2, 429, "rate_limit"),
    ]
    assert retries[0].delay == 1.0


def test_the_reset_time_of_a_subscription() -> None:
    told = next(e for e in raw("2.1.326/limit") if e["type"] == "rate_limit_event")
    end = claude.ended(read("2.1.326/limit")[0], 1, None)
    assert end.retry_after == told["rate_limit_info"]["resetsAt"] == 1794990527


def test_an_allowed_request_sets_no_reset_time() -> None:
    told = {"status": "allowed_warning", "resetsAt": 1794990527}
    failed = final(is_error=True, api_error_status=429, result="429")
    end = end_of(line(type="rate_limit_event", rate_limit_info=told), failed, code=1)
    assert end == Ended(endings.LIMIT, "429", None)


@pytest.mark.parametrize("error", [True, False])
@pytest.mark.parametrize(
    ("digits", "seconds"), [("1762952400", 1762952400.0), ("1762952400123", 1762952400.0)]
)
def test_the_reset_time_in_the_words_of_older_clients(
    digits: str, seconds: float, error: bool
) -> None:
    words = f"Claude AI usage limit reached|{digits}"
    end = end_of(final(is_error=error, result=words), code=int(error))
    assert end == Ended(endings.LIMIT, words, seconds)


def test_an_answer_that_quotes_a_limit_is_an_answer() -> None:
    words = "I read: Claude AI usage limit reached|1762952400"
    assert end_of(final(result=words)) == Ended(endings.OK, "")


def test_tool_output_is_no_ending() -> None:
    block = {
        "type": "tool_result",
        "tool_use_id": "t",
        "is_error": True,
        "content": "API Error: 429 rate_limit, overloaded, Please run /login",
    }
    user = line(type="user", message={"content": [block]})
    assert end_of(user, final(result="done")).kind == endings.OK
    assert end_of(user, final(is_error=True, result="odd"), code=1).kind == endings.FAILED
    assert end_of(user, code=1).kind == endings.FAILED


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("You've hit your weekly limit · resets 3pm (UTC)", endings.LIMIT),
        ("Overloaded", endings.OVERLOADED),
        ("Invalid API key · Fix external API key", endings.AUTH),
        ("Please run /login", endings.AUTH),
        ("Connection error.", endings.NETWORK),
        ("getaddrinfo ENOTFOUND host", endings.NETWORK),
        ("something else", endings.FAILED),
    ],
)
def test_words_where_no_field_tells(words: str, kind: str) -> None:
    assert end_of(final(is_error=True, result=words), code=1) == Ended(kind, words)


def test_a_broken_connection_has_no_status() -> None:
    said = line(type="assistant", error="server_error", message={"content": []})
    assert end_of(said, final(is_error=True, result="odd"), code=1).kind == endings.NETWORK
    told = final(is_error=True, api_error="connection_failed", result="odd")
    assert end_of(told, code=1).kind == endings.NETWORK


def test_a_field_beats_the_words() -> None:
    failed = final(is_error=True, api_error_status=400, result="connection to rate limit")
    assert end_of(failed, code=1).kind == endings.FAILED


def test_an_error_that_was_overcome_does_not_explain_a_later_one() -> None:
    retry = line(type="system", subtype="api_retry", error="rate_limit", error_status=429)
    said = line(type="assistant", message={"content": [{"type": "text", "text": "ok"}]})
    failed = final(is_error=True, subtype="error_during_execution")
    assert end_of(retry, failed, code=1).kind == endings.LIMIT
    assert end_of(retry, said, failed, code=1).kind == endings.FAILED


def test_a_stream_without_a_final_event() -> None:
    said = line(type="assistant", message={"content": [{"type": "text", "text": "ok"}]})
    assert end_of(said, code=0) == Ended(endings.FAILED, f"{CUT_SHORT} (exit code 0)")
    refused = end_of(b"error: unknown option '--x'", code=1)
    assert refused.detail == f"{CUT_SHORT} (exit code 1): error: unknown option '--x'"


@pytest.mark.parametrize(
    ("code", "cause", "kind"),
    [
        (42, None, endings.WAIT),
        (126, None, endings.NOT_FOUND),
        (127, None, endings.NOT_FOUND),
        (None, None, endings.NOT_FOUND),
        (-9, None, endings.SIGNAL),
        (143, None, endings.SIGNAL),
        (143, "timeout", endings.TIMEOUT),
        (0, "signal", endings.SIGNAL),
    ],
)
def test_exit_codes_speak_where_the_stream_does_not(
    code: int | None, cause: str | None, kind: str
) -> None:
    assert end_of(code=code, cause=cause).kind == kind


def test_the_final_event_beats_the_exit_code() -> None:
    assert end_of(final(result="done"), code=1).kind == endings.OK
    assert end_of(final(result="done"), code=143, cause="timeout").kind == endings.OK
    assert end_of(final(result="done"), code=42).kind == endings.WAIT
    # SIGINT while the model is asked: an error, and exit code 0.
    failed = final(is_error=True, subtype="error_during_execution")
    assert end_of(failed, code=0).kind == endings.FAILED
    assert end_of(failed, code=0, cause="timeout").kind == endings.TIMEOUT
    overloaded = final(is_error=True, api_error_status=529, result="529")
    assert end_of(overloaded, code=0, cause="signal").kind == endings.OVERLOADED


def test_an_empty_answer_needs_a_good_exit() -> None:
    assert end_of(final(result=" \n"), code=0).kind == endings.EMPTY
    assert end_of(final(result=""), code=1).kind == endings.FAILED


def test_an_errors_words_are_not_the_agents_answer() -> None:
    parser, _ = fed([final(is_error=True, result="<response>DONE</response>")])
    assert parser.final_text == ""


def test_every_kind_has_one_consequence() -> None:
    groups = [
        endings.RETRIED,
        endings.FATAL,
        endings.COUNTED,
        {endings.OK},
        {endings.BUDGET},
        {endings.WAIT},
    ]
    assert sum(len(group) for group in groups) == len(endings.KINDS) == 13


@pytest.mark.parametrize(
    "broken",
    [
        b"{",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b"{}",
        b'{"type":"news"}',
        b'{"type":["a"]}',
        b'{"type":"system","subtype":"news"}',
        b'{"type":"result"} and more',
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda data: repr(data[:20]),
)
def test_what_is_not_understood_is_kept_as_unknown(broken: bytes) -> None:
    _, found = fed([broken])
    assert found == [events.Unknown(broken[:2000].decode("utf-8", "replace"))]


def test_blank_lines_are_nothing() -> None:
    assert fed([b"", b"  ", b"\r", b"\0\0"])[1] == []


def test_dirt_in_a_line_does_not_change_its_events() -> None:
    clean = (CASSETTES / "2.1.197" / "bash-fail.jsonl").read_bytes().splitlines()
    expected = fed(clean)[1]
    assert fed([b"\0" + entry + b"\0\r" for entry in clean])[1] == expected
    assert fed([b"(node:7) Warning: old " + entry for entry in clean])[1] == expected
    assert fed([b"\xef\xbb\xbf" + entry for entry in clean])[1] == expected
    assert fed([b" \t" + entry + b" \t" for entry in clean])[1] == expected
    assert fed([entry + b" " for entry in clean])[1] == expected
    broken = fed([entry.replace(b"It failed.", b"It \xff failed.") for entry in clean])[1]
    assert len(broken) == len(expected)
    assert broken[-1].text == "It \ufffd failed."  # type: ignore[union-attr]


@pytest.mark.parametrize("wrong", [None, True, -1, 1.5, "x", [], [[]], {}, {"a": 1}, 10**400])
def test_fields_of_any_type(wrong: object) -> None:
    names = {name for cassette in ALL for event in raw(cassette) for name in event} - {"type"}
    for kind in ("assistant", "user", "system", "result", "rate_limit_event"):
        for name in names:
            fed(
                [
                    line(type=kind, subtype="api_retry", **{name: wrong})
                    if name != "subtype"
                    else line(type=kind, subtype=wrong)
                ]
            )
    for part in ("tool_use", "tool_result", "text"):
        for name in ("id", "name", "input", "text", "content", "tool_use_id", "is_error"):
            fed(
                [
                    line(type=kind, message={"content": [{"type": part, name: wrong}]})
                    for kind in ("assistant", "user")
                ]
            )


def test_absurd_numbers_are_not_told() -> None:
    raw_result = b'{"type":"result","total_cost_usd":NaN,"num_turns":1' + b"0" * 400 + b"}"
    assert fed([raw_result])[0].result == Result()


def test_cost_unknown_is_none() -> None:
    parser, _ = fed([line(type="result", result="x", total_cost_usd=None)])
    assert parser.result == Result(text="x")


def test_memory_does_not_grow_with_the_stream() -> None:
    parser = claude.Parser()
    for number in range(5_000):
        block = {"type": "tool_use", "id": f"t{number}", "name": "TaskCreate", "input": {}}
        parser.feed(line(type="assistant", message={"content": [block]}))
        task = {"task": {"id": f"{number}", "subject": "s"}}
        done = {"type": "tool_result", "tool_use_id": f"t{number if number % 2 else 'x'}"}
        parser.feed(line(type="user", message={"content": [done]}, tool_use_result=task))
    assert len(parser._todo_calls) <= 1_000
    assert len(parser._todo.items) <= 500


def test_a_whole_session_as_one_list() -> None:
    array = (CASSETTES / "2.1.197" / "array.json").read_bytes()
    parser, found = fed([array])
    one_by_one = [json.dumps(event).encode() for event in json.loads(array)]
    assert found == fed(one_by_one)[1]
    assert (parser.final_text, len(only(found, events.ToolEnd))) == ("Done.", 1)
    assert claude.ended(parser, 0, None) == Ended(endings.OK, "")


def test_only_the_final_event() -> None:
    """With --output-format json and without --verbose."""
    parser, found = fed([(CASSETTES / "2.1.197" / "object.json").read_bytes()])
    assert found == [parser.result]
    assert (parser.final_text, parser.result and parser.result.turns) == ("Done.", 2)


@pytest.mark.parametrize("line", [b"[", b"[{", b"[1]", b"[]", b'[{"type": 5}, 7]', b"[" * 100_000])
def test_a_list_that_is_none_is_unknown(line: bytes) -> None:
    assert [type(event) for event in fed([line])[1]] == [events.Unknown]

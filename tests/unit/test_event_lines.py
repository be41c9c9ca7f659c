"""The journal's events as a person reads them."""

from __future__ import annotations

from typing import Any

import pytest
from ralph_engine import event_lines
from ralph_engine.agents.events import (
    Event,
    Progress,
    Result,
    Retry,
    Text,
    Todo,
    TodoItem,
    ToolEnd,
    ToolStart,
    Unknown,
    as_json,
    from_json,
)
from ralph_engine.event_lines import EventLines, ending
from ralph_engine.line_view import BAD, GOOD, NO_OUTPUT, PLAIN, Line, Output


def told(name: str, /, **details: Any) -> list[Line]:
    return EventLines(NO_OUTPUT).of({"n": 1, "time": "", "event": name, **details})


def agent(lines: EventLines, *events: Event) -> list[str]:
    entries = [{"n": 1, "time": "", "event": "agent", **as_json(event)} for event in events]
    return [line.text for entry in entries for line in lines.of(entry)]


@pytest.mark.parametrize(
    ("name", "details", "text", "tone"),
    [
        (
            "hook",
            {"what": "guard-denied", "tool": "Bash", "rule": "sudo"},
            "hook: the guard denied Bash (rule sudo)",
            BAD,
        ),
        (
            "hook",
            {"what": "gate-blocked", "group": "uncommitted"},
            "hook: the agent may not stop yet (uncommitted)",
            PLAIN,
        ),
        (
            "hook",
            {"what": "gate-exhausted", "group": "transitions"},
            "hook: the agent may stop after too many refusals (transitions); the runner judges",
            BAD,
        ),
        ("check", {"command": "make", "code": 0, "action": "APPEND"}, "check make: passed", GOOD),
        (
            "check",
            {"command": "make", "code": 2, "action": "REPLACE"},
            "check make: failed (2), REPLACE",
            BAD,
        ),
        (
            "check",
            {"command": "make", "code": None, "action": "APPEND"},
            "check make: failed (None), APPEND",
            BAD,
        ),
        ("violation", {"text": "No."}, "undone: No.", BAD),
        ("violation", {"text": "No", "kept": "a/b"}, "undone: No; that version is in a/b", BAD),
        ("notice", {"text": "Not done."}, "Not done.", BAD),
        ("agent-ended", {"kind": "timeout", "detail": "60m"}, "agent timeout: 60m", BAD),
        ("agent-ended", {"kind": "failed", "detail": "no\n  key\n"}, "agent failed: no key", BAD),
        ("left-running", {"pids": [7, 9]}, "these processes cannot be ended: 7, 9", BAD),
        ("submitted", {"story": "A"}, "A is handed in: now a review must agree", GOOD),
        ("verdict", {"story": "A", "verdict": "approved"}, "A is approved by its review", GOOD),
        (
            "verdict",
            {"story": "A", "verdict": "changes_requested"},
            "A is sent back by its review",
            PLAIN,
        ),
        (
            "wait",
            {"until": "12:00:00", "seconds": 90.0, "why": "limit"},
            "waiting until 12:00:00 (1m30s): limit",
            PLAIN,
        ),
        ("retry", {"number": 1, "why": "x"}, "try 2 of this iteration", PLAIN),
        ("told", {"text": "Mind\nthe gap"}, "told the agent: Mind\\nthe gap", PLAIN),
        ("resumed", {"number": 1}, "resumed", PLAIN),
        ("scm", {"argv": ["git", "push"], "code": 0}, "scm: git push: done", GOOD),
        (
            "scm",
            {"argv": ["git", "push", "https://me:hush@host"], "code": 0},
            "scm: git push 'https://me:[redacted]@host': done",
            GOOD,
        ),
        ("scm-failed", {"task": "push", "why": "no"}, "scm: push failed: no", BAD),
        ("flaky", {"command": "make"}, "flaky: make failed once and then passed", BAD),
        ("sign", {"name": "S", "path": "r/g.md"}, "put up a Sign in r/g.md: S", PLAIN),
        (
            "tasks-rewritten",
            {"path": "r/t.json", "why": "undo", "uncommitted": "git refuses"},
            "r/t.json: undo (git refuses)",
            PLAIN,
        ),
        (
            "person-edit",
            {"changes": ["US-2 added"]},
            "edited while the loop stood: US-2 added",
            PLAIN,
        ),
    ],
)
def test_an_event_is_a_line(name: str, details: dict[str, Any], text: str, tone: str) -> None:
    assert told(name, **details) == [Line(text, tone)]


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("agent-ended", {"kind": "ok", "detail": ""}),
        ("resumed", {"id": "x", "number": 1}),
        ("scm", {"argv": ["git", "push"], "code": 1}),
        ("end", {"code": 0, "status": "complete", "why": "x"}),
        ("from the future", {}),
    ],
)
def test_what_is_told_elsewhere_is_no_line(name: str, details: dict[str, Any]) -> None:
    assert told(name, **details) == []


def test_a_title_with_and_without_a_story() -> None:
    known = {"number": 2, "of": 15, "mode": "review", "story": "US-1"}
    assert [line.text for line in told("iteration", **known)] == ["iteration 2 of 15: review US-1"]
    known.update(mode="", story="")
    assert [line.text for line in told("iteration", **known)] == ["iteration 2 of 15"]


ALL: list[Event] = [
    ToolStart("Read", "t", "a.py", "parent", 1.5),
    ToolEnd("t", False, "x", 1, 2),
    Text("hello"),
    Result("x", None, 5.76, 1, 2, 3, 4, 5, 6.0, 7),
    Todo((TodoItem("a", "pending"), TodoItem("b", "completed"))),
    Progress("s", "m"),
    Retry(1, 2.0, None, "e"),
    Retry(1, None, 503, "e"),
    Unknown("{"),
]


@pytest.mark.parametrize("event", ALL, ids=lambda event: type(event).__name__)
def test_an_agents_event_comes_back_from_the_journal(event: Event) -> None:
    assert from_json({"n": 3, "time": "x", "event": "agent", **as_json(event)}) == event


def test_each_agent_has_tools_of_its_own() -> None:
    lines = EventLines(NO_OUTPUT)
    assert agent(lines, ToolStart("Read", "t", "a"), Result("x")) == ["Read(a)"]
    assert end(lines) == [Line("Complete (tools: 1, errors: 0)", GOOD, by_agent=True)]
    lines.of({"time": "", "event": "agent-started"})
    assert agent(lines, Result("x")) == []
    assert end(lines) == [Line("Complete (tools: 0, errors: 0)", GOOD, by_agent=True)]


def end(lines: EventLines, kind: str = "ok", detail: str = "") -> list[Line]:
    return lines.of({"time": "", "event": "agent-ended", "kind": kind, "detail": detail})


def test_the_figures_come_once_and_before_what_the_runner_makes_of_it() -> None:
    lines = EventLines(NO_OUTPUT)
    agent(lines, Result("waiting"), Result(error="You hit your limit"))
    assert end(lines, "limit", "You hit your limit") == [
        Line("Failed (tools: 0, errors: 0)", BAD, by_agent=True),
        Line("agent limit: You hit your limit", BAD),
    ]
    assert end(lines) == []


def test_a_stream_without_a_final_event_is_not_complete() -> None:
    lines = EventLines(NO_OUTPUT)
    agent(lines, ToolStart("Read", "t", "a"))
    why = "the stream ended without a final event (exit code 0)"
    assert end(lines, "failed", why) == [Line(f"agent failed: {why}", BAD)]


def test_who_wants_no_agents_output_sees_the_runners() -> None:
    lines = EventLines(NO_OUTPUT, with_agent=False)
    assert agent(lines, Text("hello"), ToolStart("Read", "t", "a"), Result("x")) == []
    assert end(lines) == []
    assert lines.of({"time": "", "event": "violation", "text": "x"}) == [Line("undone: x", BAD)]


def test_what_an_agent_says_is_marked_as_its_word() -> None:
    entry = {"time": "", "event": "agent", **as_json(Text("check make: passed"))}
    assert EventLines(NO_OUTPUT).of(entry) == [Line("check make: passed", PLAIN, by_agent=True)]


def test_the_first_of_what_a_tool_printed() -> None:
    lines = EventLines(Output(lines=2, chars=12))
    start = ToolStart("Bash", "t", "ls")
    assert agent(lines, start, ToolEnd("t", True, "one\ntwo\nthree\n", 3, 14)) == [
        "Bash(ls)",
        "  (3 lines, 14 chars)",
        "     one",
        "     two",
    ]
    assert agent(lines, start, ToolEnd("t", True, "x" * 20, 1, 20)) == [
        "Bash(ls)",
        "  (1 line, 20 chars)",
        f"     {'x' * 12}...",
    ]
    assert agent(lines, start, ToolEnd("t", False, "no such\nfile\n", 2, 13)) == [
        "Bash(ls)",
        "  error: no such (2 lines, 13 chars)",
        "     file...",
    ]
    assert agent(lines, start, ToolEnd("t", True, "1\tx", 1, 3))[-1] == "     1   x"
    assert agent(lines, start, ToolEnd("t", True, "", 0, 0)) == [
        "Bash(ls)",
        "  (no output)",
    ]
    assert agent(lines, start, ToolEnd("t", False, "", 0, 0))[-1] == "  error (no output)"
    assert agent(lines, start, ToolEnd("t", False, " \n", 1, 2)) == [
        "Bash(ls)",
        "  error (1 line, 2 chars)",
    ]


BROKEN: list[Any] = [None, 7, 1e999, "\x1b[2J", [], {}, [[]], 10**400, "x" * 10_000]


@pytest.mark.parametrize("value", BROKEN, ids=lambda value: repr(value)[:12])
def test_a_journal_that_somebody_altered_is_still_shown(value: Any) -> None:
    keys = [
        *("number", "of", "mode", "story", "kind", "text", "detail", "pids", "command", "code"),
        *("action", "path", "why", "uncommitted", "changes", "verdict", "seconds", "until"),
        *("argv", "task", "name", "id", "summary", "items", "output", "lines", "chars"),
    ]
    for name in ("agent", *event_lines._MAKERS):
        for line in (*told(name), *told(name, **dict.fromkeys(keys, value))):
            assert line.text.isprintable(), name
    assert told("check") == [Line("an event that cannot be shown: check", BAD)]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ({"code": 0, "status": "complete", "why": "complete: 1 of 1"}, "complete: 1 of 1"),
        ({"code": 3, "status": "stalled", "why": "breaker"}, "stalled: breaker"),
        ({"code": 3, "status": "\x1b", "why": "\x07"}, "\\x1b: \\x07"),
        ({"code": 130, "status": "interrupted", "why": "interrupted"}, "interrupted"),
        ({}, "None"),
    ],
)
def test_the_last_word(end: dict[str, Any], words: str) -> None:
    assert ending(end) == words

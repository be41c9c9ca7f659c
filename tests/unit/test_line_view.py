"""The lines a person reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from ralph_engine import line_view
from ralph_engine.agents import claude
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
)

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes" / "claude"


def shown(*events: Event) -> list[str]:
    view = line_view.View()
    return [line.text for event in events for line in view.lines(event)]


def replayed(name: str) -> list[str]:
    parser = claude.Parser()
    lines = (CASSETTES / f"{name}.jsonl").read_bytes().splitlines()
    return shown(*[event for line in lines for event in parser.feed(line)])


def test_a_tool_and_its_result() -> None:
    start, end = ToolStart("Read", "t", "src/a.py"), ToolEnd("t", True, "x", 45, 1234)
    assert shown(start, end) == ["Read(src/a.py)", "  (45 lines, 1234 chars)"]
    one = ToolEnd("t", True, "x", 1, 1)
    assert shown(start, one)[1] == "  (1 line, 1 char)"


def test_an_error_shows_its_first_line() -> None:
    end = ToolEnd("t", False, "\nExit code 3\nls: no such file", 3, 30)
    assert shown(end) == ["  error: Exit code 3 (3 lines, 30 chars)"]


def test_results_out_of_order_are_named() -> None:
    assert replayed("2.1.197/parallel") == [
        "two at once",
        "Bash(sleep 0.3; echo A)",
        "Bash(echo B)",
        "  (1 line, 1 char)",
        "  Bash(sleep 0.3; echo A): (1 line, 1 char)",
        "Done.",
        "Complete (cost: $0.01, tokens: 2.4K in (2.0K cached) / 110 out, tools: 2, errors: 0,"
        " time: 0s)",
    ]


def test_a_whole_stream_with_errors() -> None:
    lines = replayed("2.1.197/files")
    assert lines[0] == "Write(/home/dev/project/claude/a.txt)"
    assert (
        "  error: <tool_use_error>String to replace not found in file. (2 lines, 87 chars)" in lines
    )
    assert lines[-1].endswith("tools: 5, errors: 2, time: 0s)")


def test_a_subagents_lines_stand_below_its_call() -> None:
    assert replayed("2.1.197/subagent")[:4] == [
        "Agent(look around)",
        "  Bash(echo from-sub)",
        "    (1 line, 8 chars)",
        "  Agent(look around): (5 lines, 209 chars)",
    ]


def test_a_summary_is_one_short_line() -> None:
    start = ToolStart("Bash", "t", "x" * 150)
    assert shown(start) == ["Bash(" + "x" * 97 + "...)"]
    assert shown(ToolStart("Bash", "t", "one\ntwo")) == ["Bash(one)"]
    assert shown(ToolStart("TaskList", "t", "")) == ["TaskList()"]


def test_todo() -> None:
    items = (
        TodoItem("Write test", "completed"),
        TodoItem("Fix bug", "in_progress"),
        TodoItem("Tell", "pending"),
    )
    assert shown(Todo(items)) == ["Progress: 1/3 (33%)", "  > Fix bug"]
    assert shown(Todo(())) == ["Progress: 0/0"]


def test_text_keeps_its_lines() -> None:
    assert shown(Text("one\n\n  two\n"), Text(" \n")) == ["one", "", "  two"]


def test_retries() -> None:
    assert shown(Retry(2, 1.162, 429, "rate_limit")) == ["Retry 2 in 1.2s (429 rate_limit)"]
    assert shown(Retry(1, 0.6, None, "unknown")) == ["Retry 1 in 0.6s (unknown)"]


def test_what_is_not_for_people() -> None:
    assert shown(Progress("s", "m"), Unknown("{")) == []


def test_complete() -> None:
    result = Result("x", None, 5.76, 300_000, 45_000, 850_000, 50_000, 9, 367.4)
    assert line_view.complete(result, 58, 4) == (
        "Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 4,"
        " time: 6m7s)"
    )


def test_what_is_not_known_is_not_shown() -> None:
    assert line_view.complete(Result("x"), 1, 0) == "Complete (tools: 1, errors: 0)"
    tokens = Result("x", input_tokens=10, output_tokens=5)
    assert line_view.complete(tokens, 0, 0) == (
        "Complete (tokens: 10 in / 5 out, tools: 0, errors: 0)"
    )


def test_an_error_is_not_complete() -> None:
    assert line_view.complete(Result(error="x"), 0, 0) == "Failed (tools: 0, errors: 0)"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0K"),
        (9_949, "9.9K"),
        (9_950, "10K"),
        (45_400, "45K"),
        (999_499, "999K"),
        (999_500, "1.0M"),
        (1_234_567, "1.2M"),
    ],
)
def test_amounts(number: int, text: str) -> None:
    assert line_view.amount(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.9, "0s"), (59, "59s"), (60, "1m0s"), (367, "6m7s"), (3607, "1h0m7s")]
)
def test_spans(seconds: float, text: str) -> None:
    assert line_view.span(seconds) == text


def test_nothing_reaches_the_terminal_that_commands_it() -> None:
    evil = "a\x1b[31m\r\x07\u202eb\ud800"
    safe = "a\\x1b[31m\\r\\x07\\u202eb\\ud800"
    events: list[Event] = [
        Text(evil),
        ToolStart(evil, "t", evil),
        ToolEnd("t", False, evil, 1, 1),
        Todo((TodoItem(evil, "in_progress"),)),
        Retry(1, 1.0, None, evil + "\n"),
    ]
    lines = shown(*events)
    assert lines[0] == safe
    assert all(line.isprintable() for line in lines)
    assert sum(safe in line for line in lines) == 5


def test_calls_that_never_end_do_not_pile_up() -> None:
    view = line_view.View()
    for number in range(2_000):
        view.lines(ToolStart("Bash", f"{number}", "x"))
    assert len(view._open) == line_view.MOST_OPEN

"""The lines a person reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from ralph_engine import line_view
from ralph_engine.agents import claude, todo
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
    found = [line for event in events for line in view.lines(event)]
    return [line.text for line in (*found, *view.last())]


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


def test_an_error_that_begins_with_an_empty_line_is_told_once() -> None:
    end = ToolEnd("t", False, "\nfirst\nsecond\n", 3, 14)
    lines = [line.text for line in line_view.View(line_view.Output(5, 500)).lines(end)]
    assert lines == ["  error: first (3 lines, 14 chars)", "     second"]


def test_what_was_dropped_from_a_list_is_not_left_to_do() -> None:
    states = [{"text": state, "status": state} for state in ("completed", "cancelled")]
    assert todo.items(states, "text") == (TodoItem("completed", "completed"),)


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
    assert shown(Todo(items)) == [
        "Progress: 1/3 (33%)",
        "  [x] Write test",
        "  [>] Fix bug",
        "  [ ] Tell",
    ]
    assert shown(Todo(())) == ["Progress: 0/0"]


def test_of_a_list_that_is_known_only_what_is_new_and_what_is_at_work() -> None:
    names = ("Write test", "Fix bug", "Tell")
    states = [
        ("completed", "in_progress", "pending"),
        ("completed", "in_progress", "pending"),
        ("completed", "completed", "in_progress"),
        ("completed", "completed", "completed"),
    ]
    lists = [Todo(tuple(map(TodoItem, names, row))) for row in states]
    assert shown(*lists)[4:] == [
        *("Progress: 1/3 (33%)", "  [>] Fix bug"),
        *("Progress: 2/3 (66%)", "  [x] Fix bug", "  [>] Tell"),
        *("Progress: 3/3 (100%)", "  [x] Tell"),
    ]


def test_of_a_long_list_what_is_at_work_and_the_beginning() -> None:
    states = ["pending"] * 29 + ["in_progress"]
    items = tuple(TodoItem(f"{n}", state) for n, state in enumerate(states))
    assert shown(Todo(items)) == [
        "Progress: 0/30 (0%)",
        *(f"  [ ] {n}" for n in range(9)),
        "  [>] 29",
        "  ... 20 more",
    ]


def test_claudes_tasks_as_they_grow_and_are_done() -> None:
    lines = replayed("2.1.197/tasks")
    told = [line for line in lines if line.startswith(("Progress", "  [", "  ..."))]
    assert told == [
        *("Progress: 0/1 (0%)", "  [ ] Write test"),
        *("Progress: 0/2 (0%)", "  [ ] Fix bug"),
        *("Progress: 0/2 (0%)", "  [>] Write test"),
        *("Progress: 1/2 (50%)", "  [x] Write test"),
        "Progress: 1/1 (100%)",
    ]


def test_text_keeps_its_lines() -> None:
    assert shown(Text("one\n\n  two\n"), Text(" \n")) == ["one", "", "  two"]


def test_tabs_lead_to_columns_and_ends_of_other_systems_are_ends() -> None:
    assert shown(Text("a\tb\r\n\tif x:\n日本\tx\ncafe\u0301\tx\t\nกี่\tx")) == [
        "a   b",
        "    if x:",
        "日本    x",
        "cafe\u0301    x   ",
        "กี่   x",
    ]
    assert shown(Text("\t" * 200_000)) == []
    assert len(shown(Text("\t" * 200_000 + "x"))[0]) == 800_001


def test_retries() -> None:
    assert shown(Retry(2, 1.162, 429, "rate_limit")) == ["Retry 2 in 1.2s (429 rate_limit)"]
    assert shown(Retry(1, 0.6, None, "unknown")) == ["Retry 1 in 0.6s (unknown)"]
    assert shown(Retry(3, None, 503, "busy")) == ["Retry 3 (503 busy)"]
    assert shown(Retry(3, None, 503, "status 503")) == ["Retry 3 (status 503)"]
    assert shown(Retry(3, None, 503, "")) == ["Retry 3 (503)"]


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


def test_who_does_not_tell_the_time_is_timed() -> None:
    begin, end = Progress("s", "", at=1_000.0), Result("x", at=1_367.9)
    assert shown(begin, Text("hm", at=1_001.0), end)[-1] == (
        "Complete (tools: 0, errors: 0, time: 6m7s)"
    )
    assert shown(begin, end._replace(duration=2.0))[-1].endswith("time: 2s)")
    assert shown(begin, end._replace(at=900.0))[-1].endswith("time: 0s)")


def test_several_final_events_are_one_line() -> None:
    lines = replayed("2.1.326/background")
    assert [line for line in lines if line.startswith("Complete")] == lines[-1:]
    assert lines[-2] == "final answer"


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

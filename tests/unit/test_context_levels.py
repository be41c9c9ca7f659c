"""When an agent is told how full its context is, of which window, and in which words."""

from __future__ import annotations

import pytest
from ralph_engine.core import context_levels

LOOP = {
    50: "Context NOTICE: 50 % of the context window is used (100,000 of 200,000 tokens). "
    "Be mindful of remaining space. Plan to finish your current task within this session. "
    "If you discover follow-up work, add new stories to my/ralph/tasks.json: the next iteration "
    "will pick them up.",
    70: "Context WARNING: 70 % of the context window is used (140,000 of 200,000 tokens). "
    "Finish your current task and commit soon. Do not start additional tasks. If work remains, "
    "create new stories in my/ralph/tasks.json for the next iteration and capture implementation "
    "details and insights in my/ralph/progress.txt, so that the next iteration has full context.",
    90: "Context CRITICAL: 90 % of the context window is used (180,000 of 200,000 tokens). "
    "Wrap up immediately. Do NOT start new work. Instead: (1) create new stories in "
    "my/ralph/tasks.json for any remaining work, (2) write implementation details, insights and "
    "handoff notes to my/ralph/progress.txt, (3) commit all changes, (4) stop. The next iteration "
    "will continue from where you left off.",
}
OUTSIDE = {
    50: "Context NOTICE: 50 % of the context window is used (100,000 of 200,000 tokens). "
    "Be mindful of remaining space. Plan to finish your current task within this session. "
    "If you discover follow-up work, note it for later instead of starting it.",
    70: "Context WARNING: 70 % of the context window is used (140,000 of 200,000 tokens). "
    "Finish your current task soon, and commit it if commits are yours to make. Do not start "
    "additional tasks. If work remains, write down what is left and what you learned, so that a "
    "new session has full context.",
    90: "Context CRITICAL: 90 % of the context window is used (180,000 of 200,000 tokens). "
    "Wrap up immediately. Do NOT start new work. Instead: (1) list the remaining work, (2) write "
    "implementation details, insights and handoff notes where a new session will find them, "
    "(3) commit your changes if commits are yours to make, (4) stop and say what is left.",
}


@pytest.mark.parametrize("threshold", [50, 70, 90])
def test_the_words_of_each_severity(threshold: int) -> None:
    tokens = threshold * 2000
    told = context_levels.words(threshold, tokens, 200_000, True, "my/ralph")
    assert told == LOOP[threshold]
    assert context_levels.words(threshold, tokens, 200_000, True, "") == OUTSIDE[threshold]


@pytest.mark.parametrize(("threshold", "like"), [(60, "NOTICE"), (80, "WARNING")])
def test_the_second_of_a_severity_has_the_same_words(threshold: int, like: str) -> None:
    for ralph in ("", "ralph"):
        first = context_levels.words(threshold - 10, 165_000, 200_000, True, ralph)
        second = context_levels.words(threshold, 165_000, 200_000, True, ralph)
        assert first == second and second.startswith(f"Context {like}: 82 % of")


def test_a_guess_says_so() -> None:
    told = context_levels.words(50, 100_001, 200_000, False, "")
    assert "about 50 % of the context window is used (100,001 of 200,000 tokens)" in told


@pytest.mark.parametrize(
    ("tokens", "reached"),
    [
        (0, []),
        (99_999, []),
        (100_000, [50]),
        (119_999, [50]),
        (120_000, [50, 60]),
        (140_000, [50, 60, 70]),
        (160_000, [50, 60, 70, 80]),
        (179_999, [50, 60, 70, 80]),
        (180_000, [50, 60, 70, 80, 90]),
        (10**30, [50, 60, 70, 80, 90]),
    ],
)
def test_a_threshold_is_reached_at_its_share_of_the_window(tokens: int, reached: list[int]) -> None:
    assert context_levels.crossed(tokens, 200_000) == reached


@pytest.mark.parametrize(
    ("told", "marker", "window"),
    [
        (None, None, 200_000),
        ("1000000", None, 1_000_000),
        ("1000000", 400_000, 1_000_000),
        (None, 400_000, 400_000),
        ("", 400_000, 400_000),
        *((text, 400_000, 400_000) for text in ("0", "-5", "nan", "inf", "200k", "9" * 5000)),
        *((None, odd, 200_000) for odd in (0, -1, True, "400000", 1.5, [])),
    ],
)
def test_the_window_is_the_first_sensible_one(
    told: str | None, marker: object, window: int
) -> None:
    environment = {} if told is None else {"CLAUDE_CONTEXT_WINDOW": told}
    assert context_levels.window(environment, marker) == window


@pytest.mark.parametrize(
    ("told", "chars"),
    [("5", 5.0), ("3.5", 3.5), *((odd, 4.0) for odd in ("", "0", "-1", "x", "nan"))],
)
def test_characters_per_token(told: str, chars: float) -> None:
    assert context_levels.chars_per_token({"RALPH_CHARS_PER_TOKEN": told}) == chars
    assert context_levels.chars_per_token({}) == 4.0


def test_only_a_later_compaction_arms_again_and_only_above_the_level() -> None:
    given = {50: 1000, 60: 1000, 70: 5000, 80: 9000}
    assert context_levels.armed_again(given, [50], compacted=5000) == [60, 70]
    assert context_levels.armed_again(given, [], compacted=9999) == [50, 60, 70, 80]
    assert context_levels.armed_again(given, [50], compacted=-1) == []

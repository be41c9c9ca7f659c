"""Which texts may become paths, and which paths there are."""

from __future__ import annotations

from typing import Any

import pytest
from ralph_engine.core import paths


@pytest.mark.parametrize(
    "text", ["a", "A-1", "0", "5e551011-0000-4000-8000-000000000001", "x" * 128]
)
def test_letters_digits_and_dashes_are_a_session_id(text: str) -> None:
    assert paths.is_session_id(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "--", ".", "..", "../x", "a/b", "a.json", "a b", "a\n", "a\0", "a_b", "*", "~"),
        *("ünï", "١٢٣", "\ud800", "x" * 129, None, 5, True, b"a", ["a"], {"a": 1}),
    ],
)
def test_nothing_else_is_a_session_id(text: Any) -> None:
    assert not paths.is_session_id(text)


@pytest.mark.parametrize("text", ["ralph", "a/b", "a b/c", "..x", "x..", "...", ".ralph", "~", "-"])
def test_a_plain_relative_path_stays_below(text: str) -> None:
    assert paths.stays_below(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "..", "../x", "a/..", "a/../b", "/", "/etc", "a/", "a//b", "./a", "a/./b"),
        *("a\0b", "\0", None, 5, True, b"a", ["a"], {"a": 1}),
    ],
)
def test_every_other_path_does_not(text: Any) -> None:
    assert not paths.stays_below(text)


def test_every_path_of_a_session_stays_below_the_project() -> None:
    session = "a-1"
    made = [paths.block_count(session), paths.session_state(session), paths.ended_session(session)]
    assert all(paths.stays_below(path) and path.startswith(".ralph/") for path in made)
    assert len(set(made)) == 3


def test_the_files_of_a_loop_are_in_its_folder() -> None:
    assert paths.tasks("my plan") == "my plan/tasks.json"
    assert paths.signals("r") == ["r/DONE", "r/WAIT", "r/WAIT_WITHOUT_RESTART"]
    assert paths.signals("r", paths.WAITS) == ["r/WAIT", "r/WAIT_WITHOUT_RESTART"]


def test_what_is_frozen_is_never_a_reviewers() -> None:
    frozen = paths.frozen_files("r")
    assert frozen == [
        "r/prd.md",
        "r/prompt.md",
        ".ralph/settings.json",
        ".ralph/settings.local.json",
    ]
    assert not set(frozen) & set(paths.reviewer_files("r"))


def test_a_reviewer_commits_the_list_the_progress_the_guardrails_and_rules() -> None:
    own = {"r/tasks.json", "r/progress.txt", "r/guardrails.md", "CLAUDE.md", ".claude/rules"}
    assert set(paths.reviewer_files("r")) == own

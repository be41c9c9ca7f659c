"""Which lines of progress.txt name a blocker."""

from __future__ import annotations

import pytest
from ralph_engine import blockers


@pytest.mark.parametrize(
    "line",
    [
        "Blocker: no database",
        "- Blocker: no database",
        "  * **Blocker:** no database  ",
        "> blocker: no database",
        "### Blocker: no database\r",
    ],
)
def test_a_line_that_begins_so(line: str) -> None:
    assert blockers.named(f"# Log\n{line}\nmore\n") == ["no database"]


@pytest.mark.parametrize(
    "line",
    ["No blocker: fine", "Blocker:", "Blocker:   ", "blocked by Blocker: x", "Blockers are gone"],
)
def test_a_line_that_does_not(line: str) -> None:
    assert blockers.named(f"{line}\nnext line\n") == []


def test_all_of_them_in_their_order_and_none_too_long() -> None:
    text = "Blocker: one\n\nBlocker: two\nBlocker: " + "x" * 1000
    assert blockers.named(text) == ["one", "two", "x" * 300]

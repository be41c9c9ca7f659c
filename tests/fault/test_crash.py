"""SIGKILL before an operation on disk or processes: the run goes on as if nothing had been.

Before every ninth one here, before each by bench/run faults.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fault import faulty_run
from runner.live_loop import verb

SLICES, EVERY = 3, 9


@pytest.mark.parametrize("part", range(SLICES))
def test_a_run_killed_anywhere_comes_to_the_same_end(tmp_path: Path, part: int) -> None:
    """An implement iteration, a review, completion: the whole life of a story."""
    expected = undisturbed(tmp_path / "undisturbed")
    told = ["verify-before", "submitted", "approved", "verify-after"]
    assert [event for event, _ in expected["verdicts"]] == told
    most = faulty_run.operations(tmp_path / "counted", "kill")
    assert most > 100
    for number in range(1 + EVERY * part, most + 1, EVERY * SLICES):
        check(tmp_path / str(number), number, expected)


def undisturbed(folder: Path) -> dict[str, Any]:
    made = faulty_run.project(folder)
    assert faulty_run.run(made, "kill", 0).code == 0
    return faulty_run.outcome(made)


def check(folder: Path, number: int, expected: dict[str, Any]) -> None:
    made = faulty_run.project(folder)
    try:
        killed = faulty_run.run(made, "kill", number)
        assert killed.code == -9, (number, killed.screen)
        goes_on(made, number)
        assert faulty_run.outcome(made) == expected, number
        assert faulty_run.left_running(made) == [], number
    finally:
        faulty_run.clean_up(made)


def goes_on(made: faulty_run.HostileProject, number: int) -> None:
    """By `resume`; before the first checkpoint there is nothing yet, and a plain start begins."""
    ended = verb(made, "resume")
    if "no run to resume here" in ended.screen:
        ended = faulty_run.run(made, "kill", 0)
    if "is complete: nothing to resume" in ended.screen:
        return
    assert ended.code == 0, (number, ended.screen)
    assert "Traceback" not in ended.screen and "bug in ralph" not in ended.screen

"""SIGKILL before each operation on disk or processes: the run goes on as if nothing had been."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault import faulty_run
from runner.live_loop import verb

SLICES = 8


@pytest.mark.parametrize("part", range(SLICES))
def test_a_run_killed_anywhere_comes_to_the_same_end(tmp_path: Path, part: int) -> None:
    """An implement iteration, a review, completion: the whole life of a story."""
    undisturbed = faulty_run.project(tmp_path / "undisturbed")
    assert faulty_run.run(undisturbed, "kill", 0).code == 0
    expected = faulty_run.outcome(undisturbed)
    told = ["verify-before", "submitted", "approved", "verify-after"]
    assert [event for event, _ in expected["verdicts"]] == told
    most = faulty_run.operations(tmp_path / "counted", "kill")
    assert most > 100
    for number in range(1 + part, most + 1, SLICES):
        made = faulty_run.project(tmp_path / str(number))
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

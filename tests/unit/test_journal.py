"""The steps of a run are found among all that its agents did, without reading these."""

from __future__ import annotations

from pathlib import Path

import pytest
from ralph_engine import journal
from ralph_engine.journal import Journal


@pytest.fixture
def written(tmp_path: Path) -> Journal:
    return Journal(tmp_path, "r1", str(tmp_path / "project"), len)


def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "r1"


def test_steps_are_told_apart_from_an_agents_doings(tmp_path: Path, written: Journal) -> None:
    written.write("run", id="r1")
    written.note("agent", kind="Text", text='{"event": "end"}')
    written.write("check", command=', "event": "agent", ')
    written.note("agent", kind="Text", text="bye")
    steps = journal.steps(folder(tmp_path)).events
    assert [(step["n"], step["event"]) for step in steps] == [(1, "run"), (3, "check")]
    assert journal.last_step(folder(tmp_path))["n"] == 3


def test_the_last_step_is_found_behind_a_flood(tmp_path: Path, written: Journal) -> None:
    written.write("iteration", number=1)
    for _ in range(40):
        written.note("agent", kind="Text", text="x" * 50_000)
    assert journal.last_step(folder(tmp_path))["event"] == "iteration"


def test_without_a_step_there_is_none(tmp_path: Path, written: Journal) -> None:
    written.note("agent", kind="Text", text="hm")
    assert journal.last_step(folder(tmp_path)) == {}

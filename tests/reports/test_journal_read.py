"""The journal as a report reads it: whole lines, torn ones counted, agents' words left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ralph_engine import journal, report_files
from reports.told_run import RUN, night


def read(folder: Path, data: bytes) -> journal.Steps:
    (folder / journal.NAME).write_bytes(data)
    return journal.steps(folder)


def test_what_agents_said_is_left_out(tmp_path: Path) -> None:
    agent = b'{"n": 1, "time": "2026-01-01T00:00:00Z", "event": "agent", "kind": "text"}\n'
    for end in (b"\n", b""):
        found = read(tmp_path, agent + night().lines + agent * 3 + agent.rstrip() + end)
        assert (found.events, found.torn) == (night().events, 0)


def test_words_that_look_like_an_agents_line_are_kept(tmp_path: Path) -> None:
    told = night().tell("told", text='"event": "agent", ')
    assert read(tmp_path, told.lines).events == told.events


@pytest.mark.parametrize("cut", [1, 10, 60])
@pytest.mark.parametrize("mended", [b"", b"\n", b"\n" + night().lines])
def test_a_torn_line_is_counted_and_left_out(tmp_path: Path, cut: int, mended: bytes) -> None:
    found = read(tmp_path, night().lines[:-cut] + mended)
    again = night().events if len(mended) > 1 else []
    whole = [] if cut > 1 else night().events[-1:]
    assert found.events == [*night().events[:-1], *whole, *again]
    assert found.torn == (cut > 1)


def test_a_torn_line_of_an_agent_counts_too(tmp_path: Path) -> None:
    agent = b'{"n": 1, "time": "2026-01-01T00:00:00Z", "event": "agent", "kind": "te'
    assert read(tmp_path, night().lines + agent).torn == 1
    assert read(tmp_path, night().lines + agent + b"\n" + night().lines).torn == 1


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"[]", b'{"event": 1}', b"[" * 100_000, b"1e999", b"nul"]
)
def test_a_line_of_something_else_is_torn(tmp_path: Path, line: bytes) -> None:
    found = read(tmp_path, line + b"\n" + night().lines)
    assert (found.events, found.torn) == (night().events, 1)


def test_the_newest_is_the_one_written_last(tmp_path: Path) -> None:
    assert journal.newest(tmp_path) is None
    for name in ("b", "a"):
        night().write(tmp_path / "runs" / name)
    os.utime(tmp_path / "runs" / "b" / journal.NAME, (1, 1))
    found = journal.newest(tmp_path)
    assert found is not None and found.name == "a"


def test_the_same_journal_gives_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = night().write(tmp_path / name / RUN)
        made.append(report_files.compose(report_files.facts_of(folder)))
    assert made[0] == made[1]

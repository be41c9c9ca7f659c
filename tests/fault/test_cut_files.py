"""Journal and ledger cut at every byte: at most the last line is lost, and it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fault import faulty_run
from ralph_engine import journal, past_run
from ralph_engine.failure import Failure
from ralph_engine.ledger import Ledger
from runner.hostile_project import HostileProject
from runner.live_loop import HONEST, verb


@pytest.fixture
def finished(tmp_path: Path) -> HostileProject:
    made = faulty_run.project(tmp_path)
    assert made.run(HONEST, iterations=1).code == 1
    return made


def state(made: HostileProject) -> Path:
    [folder] = made.state.glob("ralph/project-*")
    return folder


def test_a_ledger_cut_anywhere_loses_at_most_its_last_line(finished: HostileProject) -> None:
    assert verb(finished, "resume", "-n", "2").code == 0
    path = state(finished) / "ledger.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 4
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        ledger = Ledger(path.parent)
        assert ledger.entries == [json.loads(line) for line in lines[:complete]]
        cut = whole[:length][sum(map(len, lines[:complete])) :]
        aside = ledger.mend()
        assert bool(aside) == bool(cut)
        if aside:
            assert (path.parent / aside).read_bytes() == cut
        assert path.read_bytes() == b"".join(lines[:complete])
        ledger.append("trusted", branch="main", story="US-9", frozen="", reviewed="")
        assert len(Ledger(path.parent).entries) == complete + 1


def test_a_line_inside_the_ledger_that_was_changed_is_still_refused(
    finished: HostileProject,
) -> None:
    path = state(finished) / "ledger.jsonl"
    path.write_bytes(path.read_bytes()[:-3] + b"\n")
    with pytest.raises(Failure, match="line 2"):
        Ledger(path.parent)


def test_the_runner_says_what_was_cut(finished: HostileProject) -> None:
    path = state(finished) / "ledger.jsonl"
    with path.open("ab") as file:
        file.write(b'{"before": "0')
    [events] = state(finished).glob("runs/*/journal.jsonl")
    events.write_bytes(events.read_bytes()[:-5])
    ended = verb(finished, "resume", "-n", "5")
    assert ended.code == 0, ended.screen
    assert "the ledger's last line was cut off; what there is of it is in" in ended.screen
    assert "was cut off and is lost" in ended.screen


def test_a_journal_cut_anywhere_keeps_its_whole_lines(finished: HostileProject) -> None:
    [path] = state(finished).glob("runs/*/journal.jsonl")
    whole = path.read_bytes()
    for length in range(1, len(whole) + 1):
        path.write_bytes(whole[:length])
        kept = journal.steps(path.parent).events
        complete = whole[: whole.rfind(b"\n", 0, length) + 1]
        lines = [json.loads(line) for line in complete.splitlines()]
        steps = [e["n"] for e in lines if e["event"] != "agent"]
        assert [e["n"] for e in kept][: len(steps)] == steps
        assert len(kept) - len(steps) in (0, 1)
        assert past_run.read(state(finished)) is not None
        opened = journal.Journal(state(finished), path.parent.name, str(path.parent), len)
        assert opened.torn == (not whole[:length].endswith(b"\n"))
        opened.write("noted")
        assert journal.steps(path.parent).events[-1]["event"] == "noted"


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b'{"breaker": 1}', b"null"])
def test_a_checkpoint_that_is_no_use_is_no_trap(finished: HostileProject, text: bytes) -> None:
    (state(finished) / "checkpoint.json").write_bytes(text)
    refused = verb(finished, "resume", "-n", "9")
    assert refused.code == 2
    assert "Traceback" not in refused.screen and "bug in ralph" not in refused.screen
    assert finished.run(HONEST, iterations=9).code == 0

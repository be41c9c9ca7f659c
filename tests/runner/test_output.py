"""Whatever an agent prints, the runner stays small and the terminal clean."""

from __future__ import annotations

import calendar
import json
import shlex
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from ralph_engine import schema
from runner.hostile_project import ENGINE, REPOSITORY, Ended, HostileProject, story

FLOODS = REPOSITORY / "tests" / "fixtures" / "floods"
MIB = 1024 * 1024
MOST_KIB = 100_000_000 // 1024


@pytest.fixture
def project(tmp_path: Path) -> HostileProject:
    return HostileProject(tmp_path, story("US-1"))


def floods(*ways: str) -> dict[str, str]:
    return {"FLOOD": ",".join(ways), "IS_SANDBOX": "1"}


def run(project: HostileProject, agent: str, *ways: str) -> tuple[Ended, int]:
    """How it ended, and the most memory that the runner or anything below it had."""
    peak = project.outside / "peak"
    engine = [str(FLOODS / "peak.py"), str(peak), str(ENGINE)]
    ended = project.run(agent, "-p", "go", iterations=1, env=floods(*ways), engine=engine)
    return ended, int(peak.read_text())


def plain() -> str:
    return shlex.join([sys.executable, str(FLOODS / "flood.py")])


def like(name: str, project: HostileProject) -> str:
    """A program that is taken for that client, because it is called so."""
    program = project.outside / name
    program.write_text(f'#!/bin/sh\nexec {plain()} "$@"\n')
    program.chmod(0o755)
    return shlex.quote(str(program))


def test_events_on_stdout_are_those_of_the_journal_and_of_the_schema(
    project: HostileProject,
) -> None:
    honest = shlex.join([sys.executable, str(REPOSITORY / "tests/fixtures/agents/honest.py")])
    ended = project.run(honest, "--json", iterations=9)
    assert ended.code == 0, ended.printed
    printed = [line for line in ended.printed.splitlines() if line.startswith("{")]
    published = [json.loads(line) for line in printed]
    assert published == project.journal()
    assert {"run", "iteration", "agent", "submitted", "verdict", "end"} <= {
        event["event"] for event in published
    }
    assert [event for event in published if not schema.accepts("event", event)] == []


def commands(screen: str) -> set[str]:
    """Characters that a terminal obeys."""
    return {c for c in screen if unicodedata.category(c) == "Cc" and c != "\n"}


@pytest.mark.parametrize(
    "ways",
    [["gigabyte"], ["one line", "errors", "odd lines"]],
    ids=" ".join,
)
def test_a_flood_takes_little_memory_and_commands_no_terminal(
    project: HostileProject, ways: list[str]
) -> None:
    ended, kib = run(project, plain(), *ways)
    assert ended.code == 0, ended.screen[-2000:]
    assert kib < MOST_KIB
    assert commands(ended.screen) == set()
    assert "x1b[2J" in ended.screen
    assert max(len(line) for line in journal_lines(project)) < MIB
    (kept,) = project.kept("agent-1-*.out")
    assert kept.read_bytes().endswith(b"\n<response>DONE</response>\n")
    assert max(path.stat().st_size for path in project.kept("agent-1-*")) < 17 * MIB


def journal_lines(project: HostileProject) -> list[str]:
    return [json.dumps(event) for event in project.journal()]


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_long_events_take_little_memory_and_hide_no_other(
    project: HostileProject, client: str
) -> None:
    """A stand-in for the client; one of its lines has 64 MiB, and it says much to stderr."""
    ended, kib = run(project, like(client, project), "events")
    assert ended.code == 0, ended.screen[-2000:]
    assert kib < MOST_KIB
    assert max(len(line) for line in journal_lines(project)) < MIB
    kinds = [event["kind"] for event in project.journal() if event["event"] == "agent"]
    final = ["text", "result"] if client == "codex" else ["result"]
    assert kinds == ["text", "unknown", "text", "unknown", "unknown", *final]


def test_an_open_tool_call_is_no_silence_but_the_time_of_the_iteration_ends_it(
    project: HostileProject,
) -> None:
    limits = ["--idle-timeout", "1s", "--iteration-timeout", "4s", "-p", "go"]
    agent, env = like("claude", project), floods("silent tool")
    ended = project.run(agent, *limits, iterations=1, env=env)
    assert ended.code == 1 and "agent timeout" in ended.screen
    assert lived(project) >= 3


def lived(project: HostileProject) -> float:
    """Seconds from the agent's start to its end."""
    told = {e["event"]: e["time"] for e in project.journal()}
    form = "%Y-%m-%dT%H:%M:%SZ"
    ends = [time.strptime(told[name], form) for name in ("agent-started", "agent-ended")]
    return calendar.timegm(ends[1]) - calendar.timegm(ends[0])

"""The cassettes of tests/record.py are what the pinned clients print today."""

from __future__ import annotations

from pathlib import Path

import pytest
import record
from ralph_engine.agents import choose
from ralph_engine.agents.events import Event, Progress, Result, ToolEnd, ToolStart

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes"


def events(agent: str, stream: bytes) -> list[Event]:
    """Without what differs from session to session; calls at once end in any order."""
    parser = choose(agent).Parser()
    found = [event for line in stream.splitlines() for event in parser.feed(line)]
    return sorted((_plain(event) for event in found), key=repr)


def _plain(event: Event) -> Event:
    if isinstance(event, Progress):
        return event._replace(session="")
    if isinstance(event, (ToolStart, ToolEnd)):
        return event._replace(id="")
    if isinstance(event, Result):
        return event._replace(duration=None)
    return event


@pytest.mark.parametrize("scenario", record.SCENARIOS, ids=lambda s: f"{s.agent}-{s.name}")
def test_recorded_anew(scenario: record.Scenario) -> None:
    version = record.VERSIONS[scenario.agent]
    kept = (CASSETTES / scenario.agent / version / f"{scenario.name}.jsonl").read_bytes()
    assert events(scenario.agent, record.record(scenario)) == events(scenario.agent, kept)

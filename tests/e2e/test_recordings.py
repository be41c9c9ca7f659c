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


WORKING = [s for s in record.SCENARIOS if s.agent in ("claude", "codex") and s.code == 0]


@pytest.mark.parametrize("scenario", WORKING, ids=lambda s: f"{s.agent}-{s.name}")
def test_the_tokens_are_those_that_the_model_billed(scenario: record.Scenario) -> None:
    version = record.VERSIONS[scenario.agent]
    kept = (CASSETTES / scenario.agent / version / f"{scenario.name}.jsonl").read_bytes()
    [result] = [event for event in events(scenario.agent, kept) if isinstance(event, Result)]
    assert {
        "input": result.input_tokens,
        "cache_read": result.cache_read_tokens,
        "cache_creation": result.cache_write_tokens,
        "output": result.output_tokens,
    } == billed(scenario)


def billed(scenario: record.Scenario) -> dict[str, int]:
    """A reply of which the script says nothing costs 100 tokens in and 10 out."""
    each = [turn.get("usage", {"input": 100, "output": 10}) for turn in scenario.script]
    names = ("input", "cache_read", "cache_creation", "output")
    return {name: sum(usage.get(name, 0) for usage in each) for name in names}

"""What `watch` prints where no terminal is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ralph_engine.agents.events import Event, Result, Text, as_json
from ralph_engine.timed_lines import TimedLines

TIME = "2026-03-04T12:00:00Z"


def told(capsys: pytest.CaptureFixture[str], *entries: dict[str, Any]) -> list[str]:
    view = TimedLines(with_agent=True)
    for entry in entries:
        view.event({"time": TIME, **entry})
    printed = capsys.readouterr().out.splitlines()
    clock = re.compile(r"\[\d\d:\d\d:\d\d\] ")
    assert all(clock.match(line) for line in printed)
    return [clock.sub("", line, count=1) for line in printed]


def said(event: Event) -> dict[str, Any]:
    return {"event": "agent", **as_json(event)}


def test_an_event_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, said(Text("one\ntwo\nthree")), {"event": "violation", "text": "x"}) == [
        "agent: one [+2 more]",
        "undone: x",
    ]


def test_the_agents_figures_do_not_hide_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    end = {"event": "agent-ended", "kind": "limit", "detail": "come back later"}
    assert told(capsys, said(Result(error="429")), end) == [
        "agent: Failed (tools: 0, errors: 0)",
        "agent limit: come back later",
    ]

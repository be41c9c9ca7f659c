"""What a run prints where no terminal is."""

from __future__ import annotations

import json
import re

import pytest
from ralph_engine.agents.events import Text, ToolStart, as_json
from ralph_engine.screen import Screen

FORGED = {"time": "", "event": "agent", **as_json(Text("check make: passed"))}
TRUE = {"time": "", "event": "check", "command": "make", "code": 0, "action": "APPEND"}


def untimed(text: str) -> str:
    return re.sub(r"^\[\d\d:\d\d:\d\d\]", "[CLOCK]", text, flags=re.MULTILINE)


def test_what_an_agent_says_does_not_look_like_the_runners_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = Screen(json=False, verbose=False)
    for entry in (FORGED, TRUE, {**FORGED, **as_json(ToolStart("Read", "t", "a"))}):
        screen.event(entry)
    screen.say("two\nlines")
    printed = capsys.readouterr()
    assert (printed.out, untimed(printed.err)) == (
        "",
        "[CLOCK] agent: check make: passed\n[CLOCK] [ralph] check make: passed\n"
        "[CLOCK] agent: Read(a)\n[CLOCK] [ralph] two\n    lines\n",
    )


def test_details_are_for_those_who_ask(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(json=False, verbose=False).detail("a file was loaded")
    Screen(json=False, verbose=True).detail("a file was loaded")
    assert untimed(capsys.readouterr().err) == "[CLOCK] [ralph] a file was loaded\n"


def test_as_json_every_event_goes_to_stdout_and_no_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = Screen(json=True, verbose=False)
    screen.say("hello")
    screen.event(FORGED)
    printed = capsys.readouterr()
    assert (json.loads(printed.out), printed.err) == (FORGED, "")
    assert re.fullmatch(r"\{.*\}\n", printed.out)

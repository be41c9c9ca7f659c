"""A turn is read from a transcript that is written while it is read."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from ralph_engine.core import session_state, session_turn

DONE = "<promise>DONE</promise>"


def line(*blocks: dict[str, Any]) -> str:
    entries = [{"type": "assistant", "message": {"id": "m", "content": [b]}} for b in blocks]
    return "".join(json.dumps(entry) + "\n" for entry in entries)


TOOL, SAID, BYE = (
    {"type": "tool_use"},
    {"type": "text", "text": DONE},
    {"type": "text", "text": "b"},
)
LATE = {
    "the file itself": ["", line(TOOL, SAID, BYE)],
    "the last message": [line(TOOL), line(SAID, BYE)],
    "its last block": [line(TOOL, SAID), line(BYE)],
    "the end of a line": [line(TOOL, SAID, BYE)[:-9], line(TOOL, SAID, BYE)[-9:]],
}


@pytest.mark.parametrize("late", LATE)
@pytest.mark.parametrize("glances", [1, 5])
def test_what_comes_late_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, glances: int
) -> None:
    path, (before, after) = tmp_path / "t.jsonl", LATE[late]
    if before:
        path.write_text(before)
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == glances:
            path.write_text(before + after)

    monkeypatch.setattr(time, "sleep", sleep)
    state, turn = session_turn.look(a_state(), sent(path))
    assert (turn.text, turn.worked) == (f"{DONE}\nb", True)
    assert (state["toolCalls"], state["offset"]) == (1, path.stat().st_size)
    assert len(slept) == glances


def test_what_never_comes_is_waited_for_a_quarter_of_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: clock.append(clock.pop() + seconds))
    state, turn = session_turn.look(a_state(), sent(tmp_path / "none"))
    assert turn == ("b", None) and state == a_state()
    assert 0.25 <= clock[0] - 100.0 < 0.3


def sent(path: Path) -> dict[str, Any]:
    return {"transcript_path": str(path), "last_assistant_message": "b"}


def a_state() -> dict[str, Any]:
    return session_state.new("s", "ralph-loop", {"task": "x"}, 0.0, 0)

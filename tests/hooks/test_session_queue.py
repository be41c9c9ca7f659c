"""What a person types while a loop holds the turn: it waits, but the next stop knows of it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hooks.session_loop import Session

DONE = "<promise>DONE</promise>"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = Session(tmp_path)
    assert "hookSpecificOutput" in session.typed("ralph-loop", "x")
    session.works()
    return session


def queue(session: Session, *contents: str, operation: str = "enqueue") -> None:
    for content in contents:
        session.add("queue-operation", operation=operation, content=content)


@pytest.mark.parametrize("command", ["/cancel-ralph now, please", "/ralph:cancel-ralph", "/clear"])
def test_a_message_that_goes_into_the_turn_leaves_the_commands_waiting(
    session: Session, command: str
) -> None:
    queue(session, command, "Mind the docs.")
    session.add("queue-operation", operation="remove")  # older clients do not name what they take
    assert "reason" not in session.stops("going on")


def test_what_was_never_seen_waiting_takes_nothing_away(session: Session) -> None:
    queue(session, "/cancel-ralph")
    queue(session, "Of before the loop.", operation="remove")
    assert "CANCELLED" in session.stops("going on")["systemMessage"]


@pytest.mark.parametrize("command", ["/clear", "/new", "/reset", "/clear the parser"])
def test_clear_is_let_through_for_its_own_hook_to_end_the_loop(
    session: Session, command: str
) -> None:
    queue(session, command)
    assert session.stops("going on") == {}
    assert session.state is not None and session.state["iteration"] == 0
    queue(session, command, operation="popAll")
    assert "reason" in session.stops("the person thought better of it")


def test_a_question_is_answered_once_and_the_loop_goes_on(session: Session) -> None:
    queue(session, "/ralph-status")
    told = session.stops("going on")
    assert "reason" in told
    assert told["systemMessage"].startswith("Ralph: ralph-loop ACTIVE, iteration 1 of 25, since ")
    assert ", 1 tool call; last decision: blocked (no promise); " in told["systemMessage"]
    session.works()
    assert "systemMessage" not in session.stops("going on")
    queue(session, "/ralph:ralph-status")
    session.works()
    assert "iteration 3 of 25" in session.stops("going on")["systemMessage"]


@pytest.mark.parametrize(
    ("command", "check", "status"),
    [
        ("/cancel-ralph", "false", "CANCELLED"),
        ("/ralph-pause", "false", "PAUSED"),
        ("/cancel-ralph", "true", "PROMISE_ACCEPTED"),
    ],
)
def test_what_is_typed_during_the_checks_is_heard_behind_them(
    tmp_path: Path, command: str, check: str, status: str
) -> None:
    session = Session(tmp_path)
    entry = {"type": "queue-operation", "operation": "enqueue", "content": command}
    line = shlex.quote(json.dumps(entry))
    verify = f"echo {line} >>{session.transcript}; {check}"
    session.typed("ralph-loop", f"x --verify {shlex.quote(verify)}")
    session.works()
    answer = session.stops(DONE)
    assert status in answer["systemMessage"] and "reason" not in answer
    if command == "/cancel-ralph":
        # It comes when the loop is over, and must not reach for this folder's runner then.
        assert "nothing else was touched" in session.typed("cancel-ralph")["reason"]

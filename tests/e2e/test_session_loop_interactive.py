"""Same-session loops as a person sees them: typed, steered, held and ended in the real client."""

from __future__ import annotations

import contextlib
import json
import os
import select
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e.interactive_client import DEADLINE, ERASE_LINE, ESC, UP, Held, InteractiveClient
from e2e.loop_project import blocks, shell
from ralph_engine.scripted_model import ScriptedModel, say
from ralph_engine.scripted_model.script import ScriptEntry

DONE = "<promise>DONE</promise>"
WORK = shell("echo line >> work.txt")
STARTED = (
    "Ralph: ralph-loop started, at most 25 iterations, no checks; "
    "/cancel-ralph ends it, /ralph-pause holds it"
)
NO_PROMISE = f"You attempted to end the loop, but you did not output the completion promise {DONE}."
both_versions = pytest.mark.parametrize("version", ["newest", "older"])


class Person:
    """One session of the client, the model behind it and the folder before it."""

    def __init__(self, client: InteractiveClient, model: ScriptedModel, project: Path) -> None:
        self.client, self.model, self.project = client, model, project
        self.types, self.types_in_turn = client.submit, client.submit_in_turn
        self.sees = client.expect

    def loops(self) -> list[dict[str, Any]]:
        return _states(self.project / ".ralph" / "sessions")

    def ended(self) -> list[str]:
        return [state["status"] for state in _states(self.project / ".ralph" / "sessions/ended")]


def _states(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


@contextlib.contextmanager
def a_person(
    tmp_path: Path, *script: ScriptEntry, name: str = "one", version: str = "newest"
) -> Iterator[Person]:
    """At the end all of the script has been played, and nothing beyond it."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    with ScriptedModel(script) as model:
        try:
            with InteractiveClient(model, project, tmp_path / name, version=version) as client:
                yield Person(client, model, project)
        finally:
            for entry in script:
                if isinstance(entry, Held):
                    entry.let_go()
    assert (len(model.requests), model.answers_past_the_end) == (len(script), 0)


@both_versions
def test_it_works_is_fed_its_task_again_and_ends_by_its_promise(
    tmp_path: Path, version: str
) -> None:
    task = """it's a "task" with $(touch X); and `touch Y`"""
    turns = [WORK, say("I am done."), say(f"All tests pass. {DONE}"), say("Hello to you.")]
    with a_person(tmp_path, *turns, version=version) as person:
        person.types(f"/ralph-loop {task}")
        person.sees(STARTED)
        person.sees(NO_PROMISE)
        person.sees(
            "Ralph: PROMISE_ACCEPTED after 1 iteration, 0 min: "
            "the promise was made, 1 tool call, no checks configured"
        )
        person.types("Hello.")
        person.sees("Hello to you.")
        assert (person.loops(), person.ended()) == ([], ["PROMISE_ACCEPTED"])
    assert person.model.requests[0].new_text.count(f"Original task:\n{task}") == 1
    [told] = blocks(person.model)
    assert NO_PROMISE in told and "round 1 of 25. Continue" in told
    assert f"Original task:\n{task}" in told
    assert sorted(path.name for path in person.project.iterdir()) == [".ralph", "work.txt"]


def test_pasted_lines_arrive_as_they_are(tmp_path: Path) -> None:
    task = 'it\'s one\n`two` $(touch X)\n```\nEOF\n```\n"last"; 😀'
    with a_person(tmp_path, WORK, say(DONE)) as person:
        person.client.submit_pasted("/ralph-loop ", task)
        person.sees("Ralph: PROMISE_ACCEPTED")
    assert f"Original task:\n{task}\n" in person.model.requests[0].new_text
    assert sorted(path.name for path in person.project.iterdir()) == [".ralph", "work.txt"]


@both_versions
def test_mere_talk_is_ended_before_the_client_gives_up(tmp_path: Path, version: str) -> None:
    with a_person(tmp_path, *[say("Let me think.")] * 5, version=version) as person:
        person.types("/ralph-loop Think.")
        person.sees(
            "Ralph: STALLED after 4 iterations, 0 min: 5 turns in a row without a tool call"
        )
        assert (person.loops(), person.ended()) == ([], ["STALLED"])
    assert len(blocks(person.model)) == 4


def test_sessions_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    held = Held(say(f"One. {DONE}"))
    talk = [say("Good day."), WORK, say(f"Two. {DONE}"), say("Good bye.")]
    with a_person(tmp_path, WORK, held) as one, a_person(tmp_path, *talk, name="two") as two:
        one.types("/ralph-loop The first task.")
        held.wait_until_asked()
        two.types("Hello.")
        two.sees("Good day.")
        two.types("/ralph-status")
        two.sees("Ralph: no loop runs in this session; /ralph-loop starts one")
        two.types("/cancel-ralph")
        two.sees("Ralph: no loop runs in this session, and no runner in this folder")
        two.types("/ralph-loop The second task.")
        two.sees("Ralph: PROMISE_ACCEPTED after 0 iterations")
        assert [loop["task"] for loop in one.loops()] == ["The first task."]
        two.types("Bye.")
        two.sees("Good bye.")
        held.let_go()
        one.sees("Ralph: PROMISE_ACCEPTED after 0 iterations")
        assert (one.loops(), one.ended()) == ([], ["PROMISE_ACCEPTED"] * 2)
    assert blocks(one.model) == blocks(two.model) == []
    assert "The first task." not in str([request.body for request in two.model.requests])


@both_versions
def test_a_cancel_that_has_to_wait_ends_it_at_the_next_stop(tmp_path: Path, version: str) -> None:
    held = Held(WORK)
    with a_person(tmp_path, WORK, held, say("Going on."), version=version) as person:
        person.types("/ralph-loop Never end.")
        held.wait_until_asked()
        person.types_in_turn("/cancel-ralph")
        # The client hands this one to the model first, though it was typed last.
        person.types_in_turn("Mind the docs.")
        held.let_go()
        person.sees("Ralph: CANCELLED after 0 iterations, 0 min: /cancel-ralph was queued")
        person.sees("Ralph: this session's loop has ended, as asked; nothing else was touched")
        assert (person.loops(), person.ended()) == ([], ["CANCELLED"])
    assert "Mind the docs." in person.model.requests[2].new_text
    assert blocks(person.model) == []


@both_versions
def test_after_esc_a_message_steers_and_cancel_ends_at_once(tmp_path: Path, version: str) -> None:
    held, again = Held(say("Too late.")), Held(say("Too late again."))
    turns = [WORK, held, say("Tabs it is."), again, say("Hello to you.")]
    with a_person(tmp_path, *turns, version=version) as person:
        person.types("/ralph-loop Indent it all.")
        held.wait_until_asked()
        person.client.press(ESC)
        person.sees("Interrupted")
        person.types("Use tabs.")
        person.sees(
            "the Ralph loop goes on (iteration 0 of 25), your message steers it; "
            "/cancel-ralph ends it, /ralph-pause holds it"
        )
        again.wait_until_asked()
        assert [loop["iteration"] for loop in person.loops()] == [1]
        person.client.press(ESC)
        person.sees("Interrupted", times=2)
        person.types("/cancel-ralph")
        person.sees("Ralph: CANCELLED after 1 iteration, 0 min: /cancel-ralph")
        assert (person.loops(), person.ended()) == ([], ["CANCELLED"])
        person.types("Hello.")
        person.sees("Hello to you.")
    assert "Use tabs." in person.model.requests[2].new_text
    assert "Original task:\nIndent it all." in person.model.requests[3].new_text


def test_a_message_during_a_turn_reaches_the_model_and_is_announced(tmp_path: Path) -> None:
    held = Held(WORK)
    with a_person(tmp_path, WORK, held, say(f"All done. {DONE}")) as person:
        person.types("/ralph-loop Write it.")
        held.wait_until_asked()
        person.types_in_turn("/cancel-ralph")
        person.client.press(UP)  # takes back what waits
        person.client.expect_typed("/cancel-ralph")
        person.client.press(ERASE_LINE)
        person.types_in_turn("Mind the docs.")
        held.let_go()
        person.sees("the Ralph loop goes on (iteration 0 of 25), your message steers it")
        person.sees("Ralph: PROMISE_ACCEPTED")
    assert "Mind the docs." in person.model.requests[2].new_text


@pytest.mark.parametrize("typed", ["after Esc", "while it works"])
def test_clear_ends_it_and_says_so(tmp_path: Path, typed: str) -> None:
    held = Held(say("Not yet."))
    with a_person(tmp_path, WORK, held, say("Hello to you.")) as person:
        person.types("/ralph-loop Never end.")
        held.wait_until_asked()
        if typed == "after Esc":
            person.client.press(ESC)
            person.sees("Interrupted")
            person.types("/clear")
        else:
            person.types_in_turn("/clear")
        held.let_go()
        line = "Ralph: CANCELLED after 0 iterations, 0 min: /clear"
        person.sees(line)
        assert (person.loops(), person.ended()) == ([], ["CANCELLED"])
        person.types("Hello.")
        person.sees("Hello to you.")
        assert line in person.client.text, "the screen was cleared after it was said"
    assert blocks(person.model) == []
    assert "Never end." not in str(person.model.requests[2].body)


def test_a_loop_is_held_asked_about_and_goes_on(tmp_path: Path) -> None:
    held, later = Held(say("Not yet.")), Held(say("Still not."))
    turns = [WORK, held, say("Just talking."), say("Going on."), later, say(f"All done. {DONE}")]
    with a_person(tmp_path, *turns) as person:
        person.types("/ralph-loop Write it.")
        held.wait_until_asked()
        person.types_in_turn("/ralph-pause")
        held.let_go()
        person.sees("1 tool call; last decision: PAUSED (a person asked); /ralph-resume goes on")
        person.sees("Original prompt: /ralph:ralph-pause")
        person.types("How are you?")
        person.sees("the Ralph loop is paused: /ralph-resume goes on, /cancel-ralph ends it")
        person.sees("Just talking.")
        person.types("/ralph-resume")
        person.sees(
            "Ralph: the loop goes on at iteration 0 of 25 with your next message, "
            "for example: continue"
        )
        person.types("continue")
        later.wait_until_asked()
        person.types_in_turn("/ralph-status")
        later.let_go()
        person.sees("Ralph: ralph-loop ACTIVE, iteration 2 of 25, since ")
        person.sees("last decision: blocked (no promise); /cancel-ralph ends it")
        person.sees("Ralph: PROMISE_ACCEPTED after 2 iterations")
        person.sees("Ralph: no loop runs in this session; the last one: PROMISE_ACCEPTED")
    assert len(blocks(person.model)) == 2


def test_a_cancel_typed_during_the_checks_is_heard_when_they_fail(tmp_path: Path) -> None:
    with a_person(tmp_path, WORK, say(DONE)) as person, fifos(person.project) as (begun, go):
        person.types("/ralph-loop Write it. --verify 'echo >begun; read word <go; false'")
        assert select.select([begun], [], [], DEADLINE)[0], "no check was begun"
        person.types_in_turn("/cancel-ralph")
        os.write(go, b"on\n")
        person.sees("Ralph: CANCELLED after 0 iterations, 0 min: /cancel-ralph was queued")
        assert (person.loops(), person.ended()) == ([], ["CANCELLED"])


@contextlib.contextmanager
def fifos(folder: Path) -> Iterator[list[int]]:
    for name in ("begun", "go"):
        os.mkfifo(folder / name)
    # For both directions: then no one waits for the other end to be opened.
    opened = [os.open(folder / name, os.O_RDWR) for name in ("begun", "go")]
    try:
        yield opened
    finally:
        for fd in opened:
            os.close(fd)
